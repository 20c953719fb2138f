"""The rows of one file on public problems, without any secret: what `dojo` judges with, in place of a hidden suite."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

from grader.calling.answer import Answer
from grader.dojo.file import HERE, HIDDEN, outline_of_text, shown_path
from grader.gradebook.grading.one_file import printed_text
from grader.lesson.lesson import Item, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.reference.problem import Problem
from grader.results import Row
from grader.sandbox.workers.printed import label_lines, unmarked
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
from grader.verdict.explain.checks import explain_check
from grader.verdict.explain.gradient import explain_gradient, has_right_upstream
from grader.verdict.judge.checks import run_check
from grader.verdict.judge.examples import EXAMPLES_FILE, Example, examples_of
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.problems import ProblemBook

SEARCHED = ("failed", "shape")
"""Statuses of rows about which a search for slips in the code may say more."""


@dataclass(frozen=True)
class StepAnswers:
    """`answers` are {gradient: what its function returned} on `problem`."""

    problem: Problem
    answers: Mapping[str, Answer]


class PublicSuite:
    """Judges the rows of one file; of a file that was judged before, only those that a search for slips may explain.

    Attributes:
        own: what the file returned on the published problem; None before it was judged.
        printed: the beginning of what it printed, see JudgedFile; `shown` are lines of that.
    """

    def __init__(self, lesson: Lesson, source: bytes, book: ProblemBook) -> None:
        self._lesson, self._book = lesson, book
        self._outline = outline_of_text(source)
        self._known: dict[str, Row] = {}
        self._pictures: dict[str, Any] = {}
        self._ran = False
        self.own: StepAnswers | None = None
        self.printed, self.shown = "", list[str]()

    def rows(self, student: Student) -> tuple[list[Row], dict[str, Any]]:
        """The rows in the lesson's order, and {row's name: picture of its error}."""
        lesson = self._lesson
        if self._ran:
            rows = [self._known.get(item.name) or self._row(item, student) for item in lesson.items]
            return rows, self._pictures
        loaded = len(student.output.data)
        if lesson.gradients:  # before the chain, in which a function that hangs would be waited for again
            problems = self._book.problems(lesson, lesson.public_draws)
            student.prefetch(problems)
            student.answers(problems[0])
        student.chain()
        chained = len(student.output.data)
        if lesson.gradients:
            student.answers(student.public or lesson.public)
        checks = {item.name: self._row(item, student) for item in lesson.checks}
        self._keep_printed(student, loaded, chained)
        rows = [checks.get(item.name) or self._row(item, student) for item in lesson.items]
        if lesson.gradients:
            self.own = own_gradients(lesson, student)
        self._known = {row.name: copy(row) for row in rows if row.status not in SEARCHED}
        self._ran = True
        return rows, self._pictures

    def _keep_printed(self, student: Student, loaded: int, chained: int) -> None:
        """Each step runs on several problems; what it prints on the published one is enough to read."""
        data = student.output.data
        printed = data[:loaded] + data[chained:]
        self.printed, self.shown = printed_text(unmarked(printed), len(printed)), label_lines(printed, BACKWARD_FILE)

    def _row(self, item: Item, student: Student) -> Row:
        if item.target is None:
            return self._check_row(item, student)
        gradient = GradientCheck(self._lesson, item, student, self._book, has_right_upstream)
        explain_gradient(gradient, self._lesson.public_draws)
        row = gradient.row(self._lesson.public_draws)
        if gradient.picture is not None:
            self._pictures[item.name] = gradient.picture
        return row

    def _check_row(self, item: Item, student: Student) -> Row:
        """A check (a row that is not a gradient), by its public example if there is one."""
        row = Row(item.name, HIDDEN, 0, item.points, line=self._outline.line(item))
        example = examples_of(self._lesson).get(item.name)
        if item.function not in student.functions:
            row.status = "missing"
        elif example is None:
            row.status = "todo" if self._outline.is_unwritten(item) else HIDDEN
        else:
            check = Example(self._lesson, item, student, RemoteTarget(student), self._book)
            failed = run_check(example, check)
            row.status = HERE if failed is None else failed.status
            row.points = item.points if failed is None else 0
            row.message = check.remark if failed is None else None
            if failed is not None:
                failed = explain_check(example, check, failed)
                place = f"{shown_path(self._lesson.exercise / EXAMPLES_FILE)}:{example.__code__.co_firstlineno}"
                message = str(failed)
                if message:  # there is none where a function that it calls is not written yet
                    row.message = f"{message}{'' if message[-1] in '.!?' else '.'} Its public example: {place}"
                row.line = failed.line or row.line
        return row


def own_gradients(lesson: Lesson, student: Student) -> StepAnswers:
    """What the student's functions returned on the published problem, at a notebook's own sizes where it has some."""
    public = lesson.public if student.public is None else lesson.published_at(student.terms.sizes or {})[0]
    return StepAnswers(public, dict(student.answers(public)))
