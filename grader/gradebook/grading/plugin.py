"""The pytest plugin: fixtures for hidden suites. What a check finds travels as pytest-json-report metadata.

def test_gradient(gradient):         # run once for every gradient of lesson.toml
    gradient.check(DRAWS)

def test_in_one_go(check):           # a row of its own: [checks.in_one_go]
    if not check.gradient("dlogits").passes(EXTREME):
        check.fail("...")

def test_evaluation(check):          # a row about a function or class of the student's
    check.agrees(scenario, draws=({"batch": 5}, {"batch": 2}))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from grader.calling.protocol import CallFailed
from grader.gradebook.grading.recall import JudgedRow, Recall
from grader.lesson.lesson import Item, Lesson
from grader.reference.problem import Draw
from grader.results import NamedMistake, Row
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
from grader.verdict.judging.behaviour import Check
from grader.verdict.judging.check_endings import OURS, CheckFailed
from grader.verdict.judging.check_runs import explained_by_the_code
from grader.verdict.judging.gradient import GradientCheck
from grader.verdict.judging.hidden_problems import ProblemBook


class GradingPlugin:
    """Serves the hidden suite of `lesson` with the answers of `student`, one after another."""

    def __init__(self, lesson: Lesson, book: ProblemBook) -> None:
        self.lesson, self.book = lesson, book
        self.student: Student | None = None
        self.recall: Recall | None = None  # what is known of the student's file
        self._only_called = False  # nothing is set up for the tests of this suite
        self._found: dict[str, Any] = {}  # by the test that is running: its row, and perhaps a picture

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "gradient" in metafunc.fixturenames:
            items = self.lesson.gradients
            metafunc.parametrize("gradient", items, ids=[item.name for item in items], indirect=True)

    @pytest.fixture
    def gradient(self, request: pytest.FixtureRequest) -> Recorded:
        return self.recorded(request.param)

    def recorded(self, item: Item) -> Recorded:
        assert self.student is not None
        return Recorded(GradientCheck(self.lesson, item, self.student, self.book), self._found, self.recall)

    @pytest.fixture
    def check(self, request: pytest.FixtureRequest) -> Check:
        return self.check_of(request.node)

    def check_of(self, test: pytest.Item) -> Check:
        assert self.student is not None
        item = self.lesson.item_for(test.name.removeprefix("test_"))
        return Check(self.lesson, item, self.student, RemoteTarget(self.student), self.book)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._only_called = all(map(only_ours, session.items))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """The tests of a suite with no fixture but ours are only called: pytest's setting up takes longer than that."""
        if not self._only_called:
            return None
        assert isinstance(item, pytest.Function)
        if "gradient" in item.fixturenames:
            row = cast(Item, item.callspec.params["gradient"])
            item.funcargs = {"gradient": self.recorded(row)}
        else:
            item.funcargs = {"check": self.check_of(item)}
        call = pytest.CallInfo.from_call(item.runtest, "call", reraise=(pytest.exit.Exception, KeyboardInterrupt))
        report = item.ihook.pytest_runtest_makereport(item=item, call=call)
        item.ihook.pytest_runtest_logreport(report=report)
        return True

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_runtest_metadata(self) -> dict[str, Any]:
        """What pytest-json-report writes next to the test, once."""
        found = dict(self._found)
        self._found.clear()
        return found

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
            self.spoil(row, explained_by_the_code(pyfuncitem.obj, check, failed))
        except CallFailed as failed:
            self.spoil(row, check.failed_call(failed))
        except OURS:
            raise
        except Exception:
            if not only_ours(pyfuncitem) or not check.is_sound(pyfuncitem.obj):
                raise
            self.spoil(row, check.unusable())
        else:
            row.message = check.remark
        row.relative_error = check.error
        row.line = row.line or check.on.line
        record(JudgedRow(row, check.picture), self._found)
        return result

    def spoil(self, row: Row, failed: CheckFailed) -> None:
        row.status, row.points, row.message, row.line = failed.status, 0, str(failed) or None, failed.line
        if failed.mistake is not None:
            row.mistake = NamedMistake(failed.mistake, str(failed))


def only_ours(test: pytest.Item) -> bool:
    """Whether the test is a function and asks only for a fixture of GradingPlugin's."""
    if not isinstance(test, pytest.Function) or any(test.iter_markers()):
        return False
    names = set(test.fixturenames) - {"request"}
    return names in ({"gradient"}, {"check"}) and not names & vars(test.module).keys()


class Recorded:
    """The `gradient` fixture: judges, records the row, and fails the test when the gradient does not pass."""

    def __init__(self, gradient: GradientCheck, found: dict[str, Any], recall: Recall | None = None) -> None:
        self._gradient, self._found, self._recall = gradient, found, recall

    def check(self, draws: Sequence[Draw]) -> None:
        judged = self._recall.rows.get(self._gradient.item.name) if self._recall is not None else None
        if judged is None:
            judged = JudgedRow(self._gradient.row(draws), self._gradient.picture)
            if self._recall is not None:
                self._recall.add(judged)
        record(judged, self._found)


def record(judged: JudgedRow, found: dict[str, Any]) -> None:
    """Leave the row for the JSON report, and fail the test where it did not pass."""
    row, picture = judged
    found["row"] = row.to_json()
    if picture is not None:
        found["picture"] = picture
    if row.status != "passed":
        pytest.fail(row.message or row.status, pytrace=False)
