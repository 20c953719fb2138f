"""The pytest plugin: fixtures for hidden suites. What a check finds travels as pytest-json-report metadata.

def test_gradient(gradient):         # run once for every gradient of lesson.toml
    gradient.check(DRAWS)

def test_in_one_go(check):           # a row of its own: [checks.in_one_go]
    if check.gradient("dlogits").operators > 12:
        check.fail("...")
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import pytest

from grader.answer import Answer
from grader.check import Row, Verdict, judge_line, sizes_written_in
from grader.judge import bits
from grader.lesson import Item, Lesson
from grader.picture import error_picture
from grader.problem import Draw, Problem, derive
from grader.student import Student


class ProblemBook:
    """The hidden problems of one run, each drawn once and used for every student."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._drawn: dict[tuple[str, int, str], Problem] = {}

    def problems(self, lesson: Lesson, draws: Sequence[Draw]) -> list[Problem]:
        result = []
        for number, draw in enumerate(draws):
            change = getattr(draw.change, "__name__", "")
            key = (lesson.name, number, f"{sorted(draw.sizes.items())} {change} {draw.note}")
            if key not in self._drawn:
                self._drawn[key] = lesson.problem(draw, derive(self.seed, *key))
            result.append(self._drawn[key])
        return result


class GradientCheck:
    """A gradient of the lesson as a hidden suite sees it."""

    def __init__(self, lesson: Lesson, item: Item, student: Student, book: ProblemBook) -> None:
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
            verdict = judge_line(self.item.target, cases, self.lesson.mistakes)
            if verdict.mistake is None and verdict.status in ("failed", "shape", "error"):
                published = self._book.problems(self.lesson, [Draw()])[0]
                answer = self._student.answers(published)[self.item.name]
                verdict.mistake = sizes_written_in(self.item.target, (published, answer), cases)
                verdict.message = verdict.mistake.message if verdict.mistake else verdict.message
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
            if not verdict.passed:
                self.picture = error_picture(answer.tensor, reference)
        return row


class CheckFailed(Exception):
    """Raised by `check.fail`; its text is the sentence of the row."""


class Check:
    """A row that is no gradient, named like its test without `test_`."""

    def __init__(self, lesson: Lesson, student: Student, book: ProblemBook) -> None:
        self._lesson, self._student, self._book = lesson, student, book
        self._consulted: list[GradientCheck] = []

    def gradient(self, name: str) -> GradientCheck:
        gradient = GradientCheck(self._lesson, self._lesson.item_for(name), self._student, self._book)
        self._consulted.append(gradient)
        return gradient

    @property
    def status(self) -> str:
        """What a failed row is called: like the gradient it rests on, where that was never judged by value."""
        statuses = [gradient.status for gradient in self._consulted]
        return next((s for s in statuses if s not in ("passed", "failed", "shape")), "failed")

    def fail(self, message: str) -> NoReturn:
        raise CheckFailed(message)


class GradingPlugin:
    """Serves the hidden suite of `lesson` with one student's answers."""

    def __init__(self, lesson: Lesson, student: Student, book: ProblemBook) -> None:
        self.lesson, self.student, self.book = lesson, student, book

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "gradient" in metafunc.fixturenames:
            items = self.lesson.gradients
            metafunc.parametrize("gradient", items, ids=[item.name for item in items], indirect=True)

    @pytest.fixture
    def gradient(self, request: pytest.FixtureRequest, json_metadata: dict[str, Any]) -> Recorded:
        return Recorded(GradientCheck(self.lesson, request.param, self.student, self.book), json_metadata)

    @pytest.fixture
    def check(self) -> Check:
        return Check(self.lesson, self.student, self.book)

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Any:
        """Turns how a test with the `check` fixture ended into its row."""
        if "check" not in pyfuncitem.fixturenames:
            return (yield)
        item = self.lesson.item_for(pyfuncitem.name.removeprefix("test_"))
        row = Row(item.name, "passed", item.points, item.points)
        metadata: dict[str, Any] = pyfuncitem._request.getfixturevalue("json_metadata")
        try:
            result = yield
        except CheckFailed as failed:
            check = pyfuncitem.funcargs["check"]
            assert isinstance(check, Check)
            row.status, row.points, row.message = check.status, 0, str(failed)
            metadata["row"] = row.to_dict()
            pytest.fail(str(failed), pytrace=False)
        metadata["row"] = row.to_dict()
        return result


class Recorded:
    """The `gradient` fixture: judges, records the row, and fails the test when the gradient does not pass."""

    def __init__(self, gradient: GradientCheck, metadata: dict[str, Any]) -> None:
        self._gradient, self._metadata = gradient, metadata

    def check(self, draws: Sequence[Draw]) -> None:
        row = self._gradient.row(draws)
        self._metadata["row"] = row.to_dict()
        if self._gradient.picture is not None:
            self._metadata["picture"] = self._gradient.picture
        if row.status != "passed":
            pytest.fail(row.message or row.status, pytrace=False)
