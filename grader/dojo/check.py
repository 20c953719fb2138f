"""A student's own check: the grader's judging on public problems, without any secret.

The file runs in a worker with all the isolation that the machine offers, so code that works here also works when it is
graded. A lesson's known mistakes are secret: here a mistake is named from the forward pass alone.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.calling.answer import Answer
from grader.dojo.file import HERE, HIDDEN, Outline, outline_of_text, shown_path
from grader.dojo.zygote import EagerZygote, Starter
from grader.errors import ZygoteDied
from grader.gradebook.grading.one_file import JudgedFile, Suite, judge_file, printed_text
from grader.gradebook.grading.question_rows import line_runner
from grader.intake.submissions.lesson_files import MAIN, LessonFiles
from grader.lesson.lesson import Item, Lesson
from grader.questions.code_lines import Results
from grader.reference.problem import Problem
from grader.results import Row
from grader.sandbox.isolation.probe import Isolation
from grader.sandbox.workers.printed import cut, label_lines
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.sending import send_ahead
from grader.sandbox.workers.student import Student
from grader.source.reader import source_reader
from grader.verdict.judging.examples import EXAMPLES_FILE, PUBLIC_SEED, Example, examples_of, run_example
from grader.verdict.judging.gradient import GradientCheck
from grader.verdict.judging.hidden_problems import ProblemBook


@dataclass(frozen=True)
class StepAnswers:
    """`answers` are {gradient: what its function returned} on `problem`."""

    problem: Problem
    answers: Mapping[str, Answer]


@dataclass(frozen=True)
class OwnGradients:
    """The same functions twice: `line` with autograd's upstream gradients, `chain` each with the student's own."""

    line: StepAnswers
    chain: StepAnswers


class LocalJudge:
    """Judges files on public problems; the zygote and the problems stay loaded between checks.

    A thread of the live page may run a line while `dojo watch` checks a file: one waits for the other.
    """

    def __init__(self, starter: Starter | None = None) -> None:
        torch.set_num_threads(1)  # the tensors are small: a second thread only waits
        self._starter = Starter() if starter is None else starter
        source_reader().start()  # its process loads while the zygote does
        self._book = ProblemBook(PUBLIC_SEED)
        self._frozen = False
        self._zygote_in_use = threading.RLock()
        self.own: OwnGradients | None = None
        """What the file that was judged last returned on the published problem; None where it does not run."""

    @property
    def isolation(self) -> Isolation:
        return self._starter.isolation

    @property
    def running(self) -> str:
        """What a check is doing: `dprobs is running`, as far as it is known."""
        running = self._starter.zygote.running
        return f"{running} is running" if running else "your functions are running"

    @property
    def zygote(self) -> EagerZygote:
        return self._starter.zygote

    def run_line(self, line: str, inputs: Sequence[Mapping[str, Any]]) -> Results:
        """Run a line of code that answers a question."""
        with self._zygote_in_use:
            return line_runner(self._starter.zygote)(line, inputs)

    def close(self) -> None:
        self._starter.zygote.close()
        source_reader().close()

    def prepare(self, lesson: Lesson) -> None:
        """Does the work that does not depend on a student's file. Raises ZygoteDied."""
        steps = [item.name for item in lesson.gradients]
        with self._zygote_in_use:
            self._starter.zygote.prepare(
                lambda worker: (
                    send_ahead(worker, self._problems(lesson), lesson.public_chain, steps, lesson.joint is not None)
                    if steps
                    else None
                )
            )
        if not self._frozen:
            gc.collect()
            gc.freeze()  # no collection visits all of torch's objects while the student waits
            self._frozen = True

    def _problems(self, lesson: Lesson) -> list[Problem]:
        if not lesson.gradients:
            return []
        return [lesson.public, *self._book.problems(lesson, lesson.public_draws), lesson.public_chain]

    def judge(
        self, lesson: Lesson, submitted: LessonFiles, interrupt: int | None = None, repairs: bool = True
    ) -> JudgedFile:
        """The verdict. Raises Interrupted once the descriptor `interrupt` is readable, ZygoteDied for our error.

        Without `repairs`, it does not search for small changes of the code that make a wrong row right: this takes most
        of the time, and only the message needs it.
        """
        self.own = None
        output: list[tuple[str, list[str]]] = []
        outline = outline_of_text(submitted.files[MAIN])
        suite, problems = self._suite(lesson, outline, output, repairs), self._problems(lesson)
        with self._zygote_in_use:
            try:
                judged = judge_file(lesson, submitted, self._starter.zygote, suite, interrupt, problems)
            except ZygoteDied:  # it may have been killed, for example for memory
                self._starter.restart()
                judged = judge_file(lesson, submitted, self._starter.zygote, suite, interrupt, problems)
        if output and output[-1][0]:
            judged.printed, judged.shown = output[-1]
        return judged

    def _suite(self, lesson: Lesson, outline: Outline, output: list[tuple[str, list[str]]], repairs: bool) -> Suite:
        def suite(student: Student) -> tuple[list[Row], dict[str, Any]]:
            if not repairs:
                student.trials = None
            loaded = len(student.printed_so_far)
            if lesson.gradients:  # before the chain, in which a function that hangs would be waited for again
                problems = self._book.problems(lesson, lesson.public_draws)
                student.prefetch(problems)
                student.answers(problems[0])
            student.chain()
            chained = len(student.printed_so_far)
            if lesson.gradients:
                student.answers(student.public or lesson.public)
            others = {item.name: self._check_row(lesson, item, student, outline) for item in lesson.checks}
            # each step runs on several problems; what it prints on the published one is enough to read
            text, spans = student.printed_so_far, student.spans_so_far
            printed = text[:loaded] + text[chained:]
            kept = cut(spans, 0, loaded) + cut(spans, chained, len(text), loaded - chained)
            output.append((printed_text(printed, len(printed)), label_lines(printed, kept, MAIN)))
            rows, pictures = [], {}
            for item in lesson.items:
                if item.target is None:
                    rows.append(others[item.name])
                    continue
                gradient = GradientCheck(lesson, item, student, self._book)
                rows.append(gradient.row(lesson.public_draws))
                if gradient.picture is not None:
                    pictures[item.name] = gradient.picture
            if lesson.gradients:
                self.own = own_gradients(lesson, student)
            return rows, pictures

        return suite

    def _check_row(self, lesson: Lesson, item: Item, student: Student, outline: Outline) -> Row:
        """A check (a row that is not a gradient), by its public example if there is one. It gives no points here."""
        row = Row(item.name, HIDDEN, 0, item.points, line=outline.line(item))
        example = examples_of(lesson).get(item.name)
        if item.function not in student.functions:
            row.status = "missing"
        elif example is None:
            row.status = "todo" if outline.is_unwritten(item) else HIDDEN
        else:
            failed = run_example(example, Example(lesson, item, student, RemoteTarget(student), self._book))
            row.status = HERE if failed is None else failed.status
            if failed is not None:
                place = f"{shown_path(lesson.exercise / EXAMPLES_FILE)}:{example.__code__.co_firstlineno}"
                message = str(failed)
                if message:  # there is none where a function that it calls is not written yet
                    row.message = f"{message}{'' if message[-1] in '.!?' else '.'} Its public example: {place}"
                row.line = failed.line or row.line
        return row


def own_gradients(lesson: Lesson, student: Student) -> OwnGradients:
    """What the student's functions returned on the published problem, at a notebook's own sizes where it has some."""
    public, chain = lesson.public, lesson.public_chain
    if student.public is not None:
        public, chain = lesson.published_at(student.terms.sizes or {})
    return OwnGradients(StepAnswers(public, dict(student.answers(public))), StepAnswers(chain, dict(student.chain())))
