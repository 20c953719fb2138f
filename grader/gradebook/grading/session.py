"""Grading one submission: hidden suites run by pytest in this trusted process, student code in workers."""

from __future__ import annotations

import gc
import socket
import time
from collections.abc import Collection, Sequence
from functools import partial

import torch

from grader.errors import GraderFault
from grader.gradebook.grading.graded import GradedSubmission, environment
from grader.gradebook.grading.one_file import judge_file
from grader.gradebook.grading.question_rows import line_runner, question_rows
from grader.gradebook.grading.suite import HiddenSuite
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson, imports_of
from grader.questions.code_lines import RunLine
from grader.results import LessonResult, LessonStatus, Row, SubmissionResult, number
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import Isolation, probe
from grader.sandbox.workers.client import ZygoteProcess
from grader.source.reader import ReadingFailed, source_reader
from grader.verdict.judge.problems import ProblemBook


class Session:
    """Lessons, a seed, and a zygote, kept warm for one submission after another.

    Attributes:
        only_rows: the rows by which submissions are judged; all where there are none.
    """

    def __init__(
        self,
        lessons: Sequence[Lesson],
        seed: int,
        limits: Limits | None = None,
        isolation: Isolation | None = None,
        zygote: socket.socket | None = None,
        left_out: Sequence[str] = (),
    ) -> None:
        """`isolation` is what a probe found, else one is made.

        `zygote` is a socket from a nursery; else a zygote is started. `left_out` are lessons that are not counted
        because no submission of the run contains them.
        """
        torch.set_num_threads(1)
        self.lessons, self.seed, self._left_out = tuple(lessons), seed, tuple(left_out)
        self._limits = Limits() if limits is None else limits
        self.isolation = probe() if isolation is None else isolation
        self._zygote = ZygoteProcess(Plan(self.isolation.layers, self._limits, imports_of(self.lessons)), zygote)
        source_reader().start()  # it loads while the zygote does
        self._book = ProblemBook(seed)
        self._suites: dict[str, HiddenSuite] = {}
        self.only_rows: Collection[str] = ()
        self._frozen = False

    def wait_until_ready(self) -> None:
        """Blocks until the zygote has loaded torch, time that counts for no submission. Raises ZygoteDied."""
        self._zygote.wait_until_ready()

    def close(self) -> None:
        for suite in self._suites.values():
            suite.close()
        self._suites.clear()
        self._zygote.close()
        source_reader().close()  # it would be started again by who needs it

    def grade(self, submission: Submission) -> GradedSubmission:
        """Grades every lesson. Raises GraderFault for a fault of the grader, nothing for what students do."""
        self.wait_until_ready()
        started = time.monotonic()
        graded = GradedSubmission(SubmissionResult(student=submission.student))
        lessons = [self._lesson(lesson, submission, graded) for lesson in self.lessons]
        graded.results = SubmissionResult(
            student=submission.student,
            submission_sha256=submission.sha256,
            score=number(sum(lesson.score for lesson in lessons)),
            max_score=number(sum(lesson.max_score for lesson in lessons)),
            status="graded" if submission.message is None else "rejected",
            message=submission.full_message,
            isolation=self.isolation.level,
            isolation_missing=list(self.isolation.missing),
            seed=self.seed,
            seconds=round(time.monotonic() - started, 3),
            environment=environment(),
            lessons=lessons,
            left_out=list(self._left_out),
            intake=list(submission.remarks) or None,
        )
        if not self._frozen:
            gc.collect()
            gc.freeze()  # collecting garbage need not look at torch's and ours each time
            self._frozen = True
        return graded

    @property
    def run_line(self) -> RunLine:
        """Runs a line of code that answers a question."""
        return line_runner(self._zygote)

    def _lesson(self, lesson: Lesson, submission: Submission, graded: GradedSubmission) -> LessonResult:
        started = time.monotonic()
        submitted = submission.lessons.get(lesson.name) or LessonFiles(
            lesson.name, message=submission.message, rejected=True
        )
        status: LessonStatus = "graded"
        message = None
        if submitted.present and submission.message is None:
            rows, message = self._judged(lesson, submitted, graded)
        else:
            refused = submitted.rejected or submitted.present
            status, message = ("rejected" if refused else "missing"), submitted.message or submission.message
            rows = [
                Row(item.name, "missing", 0, item.points, expected_shape=lesson.expected_shape(item))
                for item in lesson.items
            ]
            if submitted.origin is not None:
                for row in rows:
                    submitted.origin.explain(row)
        run_line = line_runner(self._zygote, self._zygote.limits.step_seconds)
        answers, remark = question_rows(lesson, submitted, submission.student, run_line)
        if answers and status == "missing":
            status, message = "graded", f"Only the answers to the questions were submitted. {message or ''}".strip()
        message = " ".join(part for part in (message, remark) if part) or None
        return LessonResult.of(lesson.name, [*rows, *answers], status, message, round(time.monotonic() - started, 3))

    def _judged(self, lesson: Lesson, submitted: LessonFiles, graded: GradedSubmission) -> tuple[list[Row], str | None]:
        if lesson.name not in self._suites:
            self._suites[lesson.name] = HiddenSuite(lesson, self._book)
        try:
            judge = partial(self._suites[lesson.name].judge, only=self.only_rows)
            judged = judge_file(lesson, submitted, self._zygote, judge)
        except ReadingFailed as error:
            raise GraderFault(str(error)) from error
        graded.pictures[lesson.name] = judged.pictures
        graded.texts |= submitted.origin.texts if submitted.origin else {}
        if judged.printed:
            graded.printed[lesson.name] = judged.printed
            graded.shown[lesson.name] = judged.shown
        return judged.rows, judged.message
