"""The pytest plugin that gives hidden tests their fixtures and turns how each test ended into the row of results.json.

A row travels as metadata of pytest-json-report. A hidden test takes one of two fixtures:

def test_gradient(gradient):         # run once for every gradient of lesson.toml
    gradient.check(DRAWS)

def test_in_one_go(check):           # a row of its own: [checks.in_one_go]
    if not check.gradient("dlogits").passes(EXTREME):
        check.fail("...")

def test_evaluation(check):          # a row about a function or class of the student's
    check.agrees(scenario, draws=({"batch": 5}, {"batch": 2}))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import pytest

from grader.calling.protocol import CallFailed
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

ONE_FIXTURE = "a hidden test takes `gradient` or `check`, and no other fixture, mark or setup"


class GradingPlugin:
    """Runs the hidden suite of `lesson` on the answers of `student`, who may change between two runs."""

    def __init__(self, lesson: Lesson, book: ProblemBook) -> None:
        self.lesson, self.book = lesson, book
        self.student: Student | None = None
        self._metadata: dict[str, Any] = {}  # of the test that is running: its row, and perhaps a picture

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "gradient" in metafunc.fixturenames:
            items = self.lesson.gradients
            metafunc.parametrize("gradient", items, ids=[item.name for item in items])

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Refuse a suite that needs more of pytest than a call: raises pytest.UsageError."""
        for test in session.items:
            if not takes_one_fixture(test):
                raise pytest.UsageError(f"{test.name}: {ONE_FIXTURE}.")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Function) -> bool:
        """Only call the test: with pytest's setup and teardown around it, 27 rows take 8 ms instead of 3."""
        assert self.student is not None
        if "gradient" in item.fixturenames:
            row = cast(Item, item.callspec.params["gradient"])
            gradient = GradientCheck(self.lesson, row, self.student, self.book)
            item.funcargs = {"gradient": GradientFixture(gradient, self._record)}
            run: Callable[[], None] = item.runtest
        else:
            row = self.lesson.item_for(item.name.removeprefix("test_"))
            check = Check(self.lesson, row, self.student, RemoteTarget(self.student), self.book)
            item.funcargs = {"check": check}
            run = partial(self._run_check, item, check)
        call = pytest.CallInfo.from_call(run, "call", reraise=(pytest.exit.Exception, KeyboardInterrupt))
        report = item.ihook.pytest_runtest_makereport(item=item, call=call)
        item.ihook.pytest_runtest_logreport(report=report)
        return True

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_runtest_metadata(self) -> dict[str, Any]:
        """The row and the picture of the test that ended, for pytest-json-report."""
        metadata, self._metadata = self._metadata, {}
        return metadata

    def _run_check(self, test: pytest.Function, check: Check) -> None:
        """Run a test with the `check` fixture and record its row. Raises what is a fault of the suite or of ours."""
        item = check.item
        row = Row(item.name, "passed", item.points, item.points)
        try:
            test.runtest()
        except CheckFailed as failed:
            record_failure(row, explained_by_the_code(test.obj, check, failed))
        except CallFailed as failed:
            record_failure(row, check.failed_call(failed))
        except OURS:
            raise
        except Exception:
            if not check.is_sound(test.obj):
                raise
            record_failure(row, check.unusable())
        else:
            row.message = check.remark
        row.relative_error = check.error
        row.line = row.line or check.on.line
        self._record(row, check.picture)

    def _record(self, row: Row, picture: Mapping[str, Any] | None) -> None:
        """Keep the row for the report, and fail the test where the row is not right."""
        self._metadata["row"] = row.to_json()
        if picture is not None:
            self._metadata["picture"] = picture
        if row.status != "passed":
            pytest.fail(row.message or row.status, pytrace=False)


class GradientFixture:
    """The `gradient` fixture of hidden tests."""

    def __init__(self, gradient: GradientCheck, record: Callable[[Row, Mapping[str, Any] | None], None]) -> None:
        self._gradient, self._record = gradient, record

    def check(self, draws: Sequence[Draw]) -> None:
        """Judge the gradient on `draws` and record its row. Fails the test when the gradient does not pass."""
        row = self._gradient.row(draws)
        self._record(row, self._gradient.picture)


def record_failure(row: Row, failed: CheckFailed) -> None:
    """Write into `row` why a check failed, and that it earns no points."""
    row.status, row.points, row.message, row.line = failed.status, 0, str(failed) or None, failed.line
    if failed.mistake is not None:
        row.mistake = NamedMistake(failed.mistake, str(failed))


def takes_one_fixture(test: pytest.Item) -> bool:
    """Whether the test is a function that needs nothing from pytest but one of the two fixtures."""
    if not isinstance(test, pytest.Function) or any(test.iter_markers()):
        return False
    names = set(test.fixturenames)
    return names in ({"gradient"}, {"check"}) and not names & vars(test.module).keys()
