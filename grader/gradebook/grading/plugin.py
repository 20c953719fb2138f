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
from grader.lesson.lesson import Item, Lesson
from grader.reference.problem import Draw
from grader.results import NamedMistake, Row
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
from grader.verdict.explain.checks import explain_check
from grader.verdict.explain.gradient import explain_gradient, has_right_upstream
from grader.verdict.judge.checks import OURS, Check, CheckFailed, failed_call
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.problems import ProblemBook


class GradingPlugin:
    """Serves the hidden suite of `lesson` with the answers of `student`, one after another."""

    def __init__(self, lesson: Lesson, book: ProblemBook) -> None:
        self.lesson, self.book = lesson, book
        self.student: Student | None = None
        self.only_called = False  # the suite's tests have no fixture but ours
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
        return Recorded(GradientCheck(self.lesson, item, self.student, self.book, has_right_upstream), self._found)

    @pytest.fixture
    def check(self, request: pytest.FixtureRequest) -> Check:
        return self.check_of(request.node)

    def check_of(self, test: pytest.Item) -> Check:
        assert self.student is not None
        item = self.lesson.item_for(test.name.removeprefix("test_"))
        return Check(self.lesson, item, self.student, RemoteTarget(self.student), self.book)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.only_called = all(map(only_ours, session.items))

    def call(self, test: pytest.Item) -> dict[str, Any]:
        """Call a test that has no fixture but ours, which is much faster than pytest's protocol for running a test.

        Returns the test's entry, as pytest-json-report writes it, but with the row as it is.
        Raises pytest.exit's exception and KeyboardInterrupt.
        """
        assert isinstance(test, pytest.Function)
        if "gradient" in test.fixturenames:
            test.funcargs = {"gradient": self.recorded(cast(Item, test.callspec.params["gradient"]))}
        else:
            test.funcargs = {"check": self.check_of(test)}
        call = pytest.CallInfo.from_call(test.runtest, "call", reraise=(pytest.exit.Exception, KeyboardInterrupt))
        entry: dict[str, Any] = {"nodeid": test.nodeid, "metadata": dict(self._found)}
        self._found.clear()
        if call.excinfo is not None and "row" not in entry["metadata"]:
            crash = getattr(pytest.TestReport.from_item_and_call(test, call).longrepr, "reprcrash", None)
            entry["call"] = {"outcome": "failed", "crash": vars(crash) if crash is not None else {}}
        return entry

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_runtest_metadata(self) -> dict[str, Any]:
        """What pytest-json-report writes next to the test, once."""
        found = {key: value.to_json() if isinstance(value, Row) else value for key, value in self._found.items()}
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
            self.spoil(row, explain_check(pyfuncitem.obj, check, failed))
        except CallFailed as failed:
            self.spoil(row, explain_check(pyfuncitem.obj, check, failed_call(failed)))
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
        record(row, check.picture, self._found)
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

    def __init__(self, gradient: GradientCheck, found: dict[str, Any]) -> None:
        self._gradient, self._found = gradient, found

    def check(self, draws: Sequence[Draw]) -> None:
        explain_gradient(self._gradient, draws)
        row = self._gradient.row(draws)
        record(row, self._gradient.picture, self._found)


def record(row: Row, picture: dict[str, Any] | None, found: dict[str, Any]) -> None:
    """Leave the row and the picture of its error as the test's metadata. Fail the test where the row did not pass."""
    found["row"] = row
    if picture is not None:
        found["picture"] = picture
    if row.status != "passed":
        pytest.fail(row.message or row.status, pytrace=False)
