"""A student's own check: the grader's judging on public problems, without any secret.

The file runs in a worker with all the isolation that the machine offers, so code that works here also works when it is
graded. A lesson's known mistakes are secret: here they are recognised by digests (grader/verdict/explain/known.py).
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch

from grader.dojo.file import HERE, HIDDEN, shown_path
from grader.dojo.zygote import EagerZygote
from grader.errors import ZygoteDied
from grader.gradebook.grading.one_file import Explain, JudgedFile, JudgedRows, is_right_as_a_whole, judge_file
from grader.gradebook.grading.question_rows import line_runner
from grader.intake.lesson_files import LessonFiles
from grader.lesson.definitions import definitions_of
from grader.lesson.lesson import Item, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.questions.code_lines import Results
from grader.results import START_THERE, Row
from grader.sandbox.workers.printed import lines_by_label
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student, pack_once
from grader.source.reader import source_reader
from grader.verdict.explain.checks import row_of_check
from grader.verdict.explain.gradient import explain_gradient
from grader.verdict.judge.examples import EXAMPLES_FILE, PUBLIC_SEED, Example, examples_of
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.problems import ProblemBook


class LocalJudge:
    """Judges files on public problems; the zygote and the problems stay loaded between checks."""

    def __init__(self, zygote: EagerZygote | None = None) -> None:
        torch.set_num_threads(1)  # the tensors are small: a second thread only waits
        self.zygote = EagerZygote() if zygote is None else zygote
        source_reader().start()  # its process loads while the zygote does
        self._book, self._is_frozen = ProblemBook(PUBLIC_SEED), False

    @property
    def running(self) -> str:
        """What a check is doing, as far as it is known, and the deadline: `dprobs is running, at most 10 s`.

        The deadline does not count waiting for a processor, so the time that has passed would contradict it.
        """
        most, running = f"at most {self.zygote.limits.step_seconds:g} s", self.zygote.running
        return f"{running} is running, {most}" if running else f"your functions, {most} each"

    def run_line(self, line: str, inputs: Sequence[Mapping[str, Any]]) -> Results:
        """Run a line of code that answers a question."""
        return line_runner(self.zygote)(line, inputs)

    def close(self) -> None:
        self.zygote.close()
        source_reader().close()

    def prepare(self, lesson: Lesson) -> None:
        """Does the work that does not depend on a student's file. Raises ZygoteDied."""
        self.zygote.prepare()
        if lesson.gradients:  # they are drawn before the student saves
            for problem in (lesson.public, lesson.public_chain, *self._book.problems(lesson, lesson.public_draws)):
                pack_once(problem)
        if not self._is_frozen:  # `gc.get_freeze_count` counts them one by one, 40 ms at each save
            self._is_frozen = True
            gc.collect()
            gc.freeze()  # no collection visits all of torch's objects while the student waits

    def judge(
        self,
        lesson: Lesson,
        submitted: LessonFiles,
        interrupt: int | None = None,
        show: Callable[[JudgedFile], None] | None = None,
    ) -> JudgedFile:
        """The verdict. Raises Interrupted once the descriptor `interrupt` is readable, ZygoteDied for our error.

        `show` gets the verdict before the search for the mistakes, which takes most of the time.
        """
        suite = PublicSuite(lesson, submitted.files[BACKWARD_FILE], self._book)
        try:
            judged = judge_file(lesson, submitted, self.zygote, suite.judge, interrupt, show)
        except ZygoteDied:  # it may have been killed, for example for memory
            self.zygote.restart()
            judged = judge_file(lesson, submitted, self.zygote, suite.judge, interrupt, show)
        if suite.printed:
            judged.shown = lines_by_label(suite.printed, BACKWARD_FILE)
        return judged


class PublicSuite:
    """Judges the rows of one file, in place of a hidden suite.

    `printed` is what the file printed when it was loaded, on the published problem and in the public examples: each
    step runs on several problems, and one is enough to read.
    """

    def __init__(self, lesson: Lesson, source: bytes, book: ProblemBook) -> None:
        self._lesson, self._source, self._book = lesson, source, book
        self.printed = b""

    def judge(self, student: Student) -> JudgedRows:
        lesson, draws = self._lesson, self._lesson.public_draws
        loaded = len(student.output.data)
        gradients = {item.name: GradientCheck(lesson, item, student, self._book) for item in lesson.gradients}
        rows = [gradient.row(draws) for gradient in gradients.values()]
        student.is_right = is_right_as_a_whole(lesson, student, rows)
        if not student.is_right:  # after these rows: a function that hangs in one of them is not waited for again
            student.chain()
        chained = len(student.output.data)
        if lesson.gradients:
            student.answers(student.public or lesson.public)
        checks, explain = list[Row](), dict[str, Explain]()
        for item in lesson.checks:
            row, tell = self._check(item, student)
            checks.append(row)
            if tell is not None:
                explain[item.name] = tell
        self.printed = bytes(student.output.data[:loaded] + student.output.data[chained:])
        explain |= {r.name: partial(explain_gradient, gradients[r.name], draws) for r in rows if r.status != "passed"}
        return JudgedRows([*rows, *checks], gradients, explain)

    def _check(self, item: Item, student: Student) -> tuple[Row, Explain | None]:
        """A check (a row that is not a gradient), by its public example if there is one."""
        found = definitions_of(item, self._source)
        example = examples_of(self._lesson).get(item.name)
        if item.function not in student.functions:
            return Row(item.name, "missing", 0, item.points), None
        if example is None:
            is_stub = bool(found) and "raise NotImplementedError" in ast.unparse(found[-1])
            return Row(item.name, "todo" if is_stub else HIDDEN, 0, item.points), None
        place = f"{shown_path(self._lesson.exercise / EXAMPLES_FILE)}:{example.__code__.co_firstlineno}"

        def of_example(row: Row) -> Row:
            row.relative_error, row.mistake = None, None
            # there is none where a function that it calls is not written yet, or where another row says more
            if row.status != HERE and row.message and START_THERE not in row.message:
                row.message += f"{'' if row.message[-1] in '.!?' else '.'} Its public example: {place}"
            return row

        check = Example(self._lesson, item, student, RemoteTarget(student), self._book)
        row, explain = row_of_check(examples_of(self._lesson), check, HERE)
        if explain is None:
            return of_example(row), None
        tell = explain

        def with_cause(row: Row) -> None:
            tell(row)
            of_example(row)

        return of_example(row), with_cause
