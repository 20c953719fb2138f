"""A student's own check: the grader's judging on public problems, without any secret.

The file runs in a worker with all the isolation that the machine offers, so code that works here also works when it is
graded. A lesson's known mistakes are secret: here a mistake is named from the forward pass alone.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from grader.dojo.public_suite import PublicSuite, StepAnswers
from grader.dojo.zygote import EagerZygote, Starter
from grader.errors import ZygoteDied
from grader.gradebook.grading.one_file import JudgedFile, judge_file
from grader.gradebook.grading.question_rows import line_runner
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.questions.code_lines import Results
from grader.sandbox.isolation.probe import Isolation
from grader.sandbox.workers.file_worker import pack_once
from grader.source.reader import source_reader
from grader.verdict.judge.examples import PUBLIC_SEED
from grader.verdict.judge.problems import ProblemBook


class LocalJudge:
    """Judges files on public problems; the zygote and the problems stay loaded between checks."""

    def __init__(self, starter: Starter | None = None) -> None:
        torch.set_num_threads(1)  # the tensors are small: a second thread only waits
        self._starter = Starter() if starter is None else starter
        source_reader().start()  # its process loads while the zygote does
        self._book = ProblemBook(PUBLIC_SEED)
        self._frozen = False
        self.own: StepAnswers | None = None
        """What the file that was judged last returned on the published problem; None where it does not run."""

    @property
    def isolation(self) -> Isolation:
        return self._starter.isolation

    @property
    def running(self) -> str:
        """What a check is doing, as far as it is known, and the deadline: `dprobs is running, at most 10 s`.

        The deadline does not count waiting for a processor, so the time that has passed would contradict it.
        """
        zygote = self._starter.zygote
        most = f"at most {zygote.limits.step_seconds:g} s"
        return f"{zygote.running} is running, {most}" if zygote.running else f"your functions, {most} each"

    @property
    def zygote(self) -> EagerZygote:
        return self._starter.zygote

    def run_line(self, line: str, inputs: Sequence[Mapping[str, Any]]) -> Results:
        """Run a line of code that answers a question."""
        return line_runner(self._starter.zygote)(line, inputs)

    def close(self) -> None:
        self._starter.zygote.close()
        source_reader().close()

    def prepare(self, lesson: Lesson) -> None:
        """Does the work that does not depend on a student's file. Raises ZygoteDied."""
        self._starter.zygote.prepare()
        if lesson.gradients:  # they are drawn before the student saves
            for problem in (lesson.public, lesson.public_chain, *self._book.problems(lesson, lesson.public_draws)):
                pack_once(problem)
        if not self._frozen:
            gc.collect()
            gc.freeze()  # no collection visits all of torch's objects while the student waits
            self._frozen = True

    def judge(
        self,
        lesson: Lesson,
        submitted: LessonFiles,
        interrupt: int | None = None,
        show: Callable[[JudgedFile], None] | None = None,
    ) -> JudgedFile:
        """The verdict. Raises Interrupted once the descriptor `interrupt` is readable, ZygoteDied for our error.

        `show` gets the verdict before the search for small changes of the code that make a wrong row right, which takes
        most of the time, and which only the message needs.
        """
        self.own = None
        text = submitted.files[BACKWARD_FILE]

        def judged(show: Callable[[JudgedFile], None] | None) -> JudgedFile:
            suite = PublicSuite(lesson, text, self._book)

            def complete(file: JudgedFile) -> JudgedFile:
                self.own = suite.own
                if suite.printed:
                    file.printed, file.shown = suite.printed, suite.shown
                return file

            show_complete = None if show is None else lambda file: show(complete(file))
            return complete(judge_file(lesson, submitted, self._starter.zygote, suite.rows, interrupt, show_complete))

        try:
            return judged(show)
        except ZygoteDied:  # it may have been killed, for example for memory
            self._starter.restart()
            return judged(show)
