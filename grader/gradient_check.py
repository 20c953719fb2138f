"""What a hidden suite asks of a student about a gradient: the verdict on drawn problems, and its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from grader.answer import Answer
from grader.book import ProblemBook
from grader.check import Row, Verdict, judge_line, sizes_written_in, unstable
from grader.diagnosis.ratios import MULTIPLE
from grader.judge import bits
from grader.lesson import Item, Lesson
from grader.picture import error_picture, values_picture
from grader.problem import Draw, Problem


class Answering(Protocol):
    """Whoever answers steps: a student in a worker, or one of the course's own files."""

    def answers(self, problem: Problem) -> Mapping[str, Answer]: ...


class GradientCheck:
    """A gradient of the lesson as a hidden suite sees it."""

    def __init__(self, lesson: Lesson, item: Item, student: Answering, book: ProblemBook) -> None:
        self.lesson, self.item, self._student, self._book = lesson, item, student, book
        self._verdict: Verdict | None = None
        self._first: Answer | None = None
        self.picture: dict[str, Any] | None = None

    def judge(self, draws: Sequence[Draw]) -> Verdict:
        """The verdict over all draws; made once, however often it is asked for."""
        if self._verdict is None:
            problems = self._book.problems(self.lesson, draws)
            cases = [(problem, self._student.answers(problem)[self.item.name]) for problem in problems]
            assert self.item.target is not None
            self._first = cases[0][1]
            verdict = judge_line(self.item.target, cases, self.lesson.wrong_formulas)
            unnamed = verdict.mistake is None or verdict.mistake.id == MULTIPLE
            if unnamed and verdict.status in ("failed", "shape", "error"):
                published = self._book.problems(self.lesson, [Draw()])[0]
                answer = self._student.answers(published)[self.item.name]
                others = [case for case in cases if case[0].draw.sizes] or cases
                written_in = sizes_written_in(self.item.target, (published, answer), others)
                if written_in is not None:
                    verdict.mistake, verdict.message = written_in, written_in.message
            self._verdict = verdict
        return self._verdict

    @property
    def status(self) -> str:
        return self._verdict.status if self._verdict is not None else "passed"

    def passes(self, draws: Sequence[Draw]) -> bool:
        return self.judge(draws).passed

    @property
    def operators(self) -> int:
        """aten operators that the step dispatched on the first draw; ask after `judge` or `passes`."""
        return self._first.operators if self._first is not None else 0

    def row(self, draws: Sequence[Draw]) -> Row:
        verdict = self.judge(draws)
        answer = self._student.answers(self.lesson.public)[self.item.name]
        row = Row(
            self.item.name,
            verdict.status,
            self.item.points if verdict.passed else 0,
            self.item.points,
            relative_error=verdict.relative_error,
            expected_shape=self.lesson.expected_shape(self.item),
            mistake={"id": verdict.mistake.id, "message": verdict.mistake.message} if verdict.mistake else None,
            message=verdict.message,
            line=verdict.line,
        )
        if answer.tensor is not None:
            assert self.item.target is not None
            reference = self.lesson.public.reference(self.item.target)
            row.shape = list(answer.tensor.shape)
            badge = bits(answer.tensor, reference)
            row.exact, row.approximate, row.maxdiff, row.ulps = (
                badge.exact,
                badge.approximate,
                badge.maxdiff,
                badge.ulps,
            )
            if verdict.passed and row.message is None:
                row.message = unstable(self.item.target, self.lesson.public, answer)
            if not verdict.passed:
                self.picture = error_picture(answer.tensor, reference)
            if self.item.drawn and (values := values_picture(answer.tensor, reference)):
                self.picture = {**(self.picture or {}), self.item.drawn: values}
        return row
