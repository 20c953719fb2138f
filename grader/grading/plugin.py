"""The pytest plugin: fixtures for hidden suites. What a check finds travels as pytest-json-report metadata.

def test_gradient(gradient):         # run once for every gradient of lesson.toml
    gradient.check(DRAWS)

def test_in_one_go(check):           # a row of its own: [checks.in_one_go]
    if check.gradient("dlogits").operators > 12:
        check.fail("...")

def test_evaluation(check):          # a row about a function or class of the student's
    check.agrees(scenario, draws=({"batch": 5}, {"batch": 2}))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from grader.calling import CallFailed
from grader.check import STATUS_OF, Row
from grader.checks import Check, CheckFailed, GradientCheck, ProblemBook
from grader.grading.student import Student
from grader.lesson import Lesson
from grader.problem import Draw
from grader.sides import StudentSide


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
    def check(self, request: pytest.FixtureRequest) -> Check:
        item = self.lesson.item_for(request.node.name.removeprefix("test_"))
        return Check(self.lesson, item, self.student, StudentSide(self.student), self.book)

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Any:
        """Turns how a test with the `check` fixture ended into its row."""
        if "check" not in pyfuncitem.fixturenames:
            return (yield)
        check = pyfuncitem.funcargs["check"]
        assert isinstance(check, Check)
        item = check.item
        row = Row(item.name, "passed", item.points, item.points)
        metadata: dict[str, Any] = pyfuncitem._request.getfixturevalue("json_metadata")
        result = None
        try:
            result = yield
        except CheckFailed as failed:
            self.spoil(row, failed)
        except CallFailed as failed:
            self.spoil(row, CheckFailed(failed.answer.message, STATUS_OF[failed.answer.outcome]), failed.answer.line)
        row.relative_error = check.error
        row.line = row.line or check.on.line
        metadata["row"] = row.to_dict()
        if row.status != "passed":
            pytest.fail(row.message or row.status, pytrace=False)
        return result

    def spoil(self, row: Row, failed: CheckFailed, line: int | None = None) -> None:
        row.status, row.points, row.message, row.line = failed.status, 0, str(failed) or None, failed.line or line
        if failed.mistake is not None:
            row.mistake = {"id": failed.mistake, "message": str(failed)}


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
