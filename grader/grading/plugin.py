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

from grader.book import ProblemBook
from grader.calling import CallFailed
from grader.check import Row
from grader.checks import Check, CheckFailed
from grader.gradient_check import GradientCheck
from grader.grading.student import Student
from grader.lesson import Lesson
from grader.problem import Draw
from grader.sides import StudentSide


class GradingPlugin:
    """Serves the hidden suite of `lesson` with the answers of `student`, one after another."""

    def __init__(self, lesson: Lesson, book: ProblemBook) -> None:
        self.lesson, self.book = lesson, book
        self.student: Student | None = None
        self._found: dict[str, Any] = {}  # by the test that is running: its row, and perhaps a picture

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "gradient" in metafunc.fixturenames:
            items = self.lesson.gradients
            metafunc.parametrize("gradient", items, ids=[item.name for item in items], indirect=True)

    @pytest.fixture
    def gradient(self, request: pytest.FixtureRequest) -> Recorded:
        assert self.student is not None
        return Recorded(GradientCheck(self.lesson, request.param, self.student, self.book), self._found)

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_runtest_metadata(self, call: pytest.CallInfo[None]) -> dict[str, Any] | None:
        """What pytest-json-report writes beside the test; at its end, so that it is checked once."""
        if call.when != "teardown":
            return None
        found = dict(self._found)
        self._found.clear()
        return found

    @pytest.fixture
    def check(self, request: pytest.FixtureRequest) -> Check:
        assert self.student is not None
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
        result = None
        try:
            result = yield
        except CheckFailed as failed:
            self.spoil(row, failed)
        except CallFailed as failed:
            self.spoil(row, check.failed_call(failed))
        row.relative_error = check.error
        row.line = row.line or check.on.line
        self._found["row"] = vars(row)
        if check.picture is not None:
            self._found["picture"] = check.picture
        if row.status != "passed":
            pytest.fail(row.message or row.status, pytrace=False)
        return result

    def spoil(self, row: Row, failed: CheckFailed) -> None:
        row.status, row.points, row.message, row.line = failed.status, 0, str(failed) or None, failed.line
        if failed.mistake is not None:
            row.mistake = {"id": failed.mistake, "message": str(failed)}


class Recorded:
    """The `gradient` fixture: judges, records the row, and fails the test when the gradient does not pass."""

    def __init__(self, gradient: GradientCheck, found: dict[str, Any]) -> None:
        self._gradient, self._found = gradient, found

    def check(self, draws: Sequence[Draw]) -> None:
        row = self._gradient.row(draws)
        self._found["row"] = vars(row)
        if self._gradient.picture is not None:
            self._found["picture"] = self._gradient.picture
        if row.status != "passed":
            pytest.fail(row.message or row.status, pytrace=False)
