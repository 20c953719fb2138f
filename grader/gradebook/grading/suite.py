"""A lesson's hidden suite in one pytest session that stays open: collected once, run for one student after another.

def test_gradient(gradient):         # run once for every gradient of lesson.toml
    gradient.check(DRAWS)

def test_evaluation(check):          # a row of its own, [checks.evaluation], about a function or class of the student's
    check.agrees(scenario, draws=({"batch": 5}, {"batch": 2}))

Starting pytest and collecting takes longer than running thirty checks. Here `pytest.main` runs in a thread of its own
and waits in its loop over the tests, `pytest_runtestloop`, for students. Each run is whole: its own JSON report, every
fixture set up anew and torn down. What a check finds travels as pytest-json-report metadata.
"""

from __future__ import annotations

import contextlib
import io
import os
import queue
import re
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from pytest_jsonreport.plugin import JSONReport

from grader.errors import GraderFault
from grader.gradebook.grading.one_file import Explain, JudgedRows
from grader.lesson.lesson import Item, Lesson
from grader.reference.problem import Draw
from grader.results import Row
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
from grader.verdict.explain.checks import row_of_check
from grader.verdict.explain.gradient import explain_gradient
from grader.verdict.judge.checks import Check, tests_of
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.problems import ProblemBook

NO_PLUGINS = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
PYTEST_OPTIONS = (
    *("--noconftest", "--import-mode=importlib", "--capture=no", "--tb=short", "--disable-warnings"),
    *("--json-report-file=none", "--json-report-omit", "collectors", "log", "streams", "keywords", "traceback"),
    *("-ppytest_metadata.plugin", "-ppytest_jsonreport.plugin", "-pno:cacheprovider"),  # a cache would be in the course
)

PytestEntries = list[dict[str, Any]]
"""What pytest-json-report writes about each test, in its list `tests`."""


class HiddenSuite:
    """`book` are the problems of the run. Everything that can go wrong raises GraderFault."""

    def __init__(self, lesson: Lesson, book: ProblemBook) -> None:
        self._lesson, self.plugin = lesson, GradingPlugin(lesson, book)
        self._heard = io.StringIO()
        self._thread = threading.Thread(target=self._pytest, name=f"suite of {lesson.name}", daemon=True)
        with self._quiet(), own_environment(lesson):
            self._thread.start()
            failure = self.plugin.reports.get()
        if failure is not None:
            raise GraderFault(f"The hidden suite of {lesson.name} cannot be run: {failure}\n{self._heard.getvalue()}")

    def judge(self, student: Student, only: Collection[str] = ()) -> JudgedRows:
        """The student's rows in the lesson's order, or `only` these."""
        self.plugin.gradients, self.plugin.explain = {}, {}
        with self._quiet():
            self.plugin.students.put((student, only))
            entries = self.plugin.reports.get()
        if entries is None or isinstance(entries, BaseException):
            raise GraderFault(f"The hidden suite of {self._lesson.name} was ended: {entries}")
        return JudgedRows(rows_of(self._lesson, entries, only), self.plugin.gradients, self.plugin.explain)

    def close(self) -> None:
        self.plugin.students.put(None)
        self._thread.join()

    def _quiet(self) -> contextlib.ExitStack:
        self._heard.seek(0)
        self._heard.truncate()
        stack = contextlib.ExitStack()
        stack.enter_context(contextlib.redirect_stdout(self._heard))
        stack.enter_context(contextlib.redirect_stderr(self._heard))
        return stack

    def _pytest(self) -> None:
        # the suite's folder is the root, so pytest reads no configuration file and no conftest of a submission
        root = str(self._lesson.solution)
        place = f"--rootdir={root}", f"--config-file={os.devnull}", f"--confcutdir={root}"
        try:
            plugins = [self.plugin.json_report, self.plugin]
            status = pytest.main([str(self._lesson.suite), *place, *PYTEST_OPTIONS], plugins=plugins)
            self.plugin.reports.put(GraderFault(f"pytest ended with {status}"))
        except BaseException as error:
            self.plugin.reports.put(error)


class GradingPlugin:
    """The pytest plugin: keeps the session open, and serves the suite with the answers of one student after another.

    Attributes:
        students: receives each student with the names of the rows to run, none for all; and None to end.
        reports: gives None when the suite is collected, then what each run gave, or why there is nothing.
        gradients, explain: of the student who was graded last, see JudgedRows.
    """

    def __init__(self, lesson: Lesson, book: ProblemBook) -> None:
        self.lesson, self.book, self.json_report = lesson, book, JSONReport()
        self.students: queue.SimpleQueue[tuple[Student, Collection[str]] | None] = queue.SimpleQueue()
        self.reports: queue.SimpleQueue[PytestEntries | BaseException | None] = queue.SimpleQueue()
        self.gradients: dict[str, GradientCheck] = {}
        self.explain: dict[str, Explain] = {}
        self.only_called = False  # the suite's tests have no fixture but ours
        self._student: Any = None
        self._found: dict[str, Row] = {}  # {"row": that of the test that is running}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed or not session.items:
            return True  # the suite could not be collected, which pytest has said by now
        torch.set_num_threads(1)  # counts for one thread only
        # it would keep the report of every test, and format it for nobody
        session.config.pluginmanager.unregister(name="terminalreporter")
        self.only_called = all(map(only_ours, session.items))
        self.reports.put(None)
        while (given := self.students.get()) is not None:
            self._student, only = given
            tests = [test for test in session.items if not only or row_name(test) in only]
            try:
                self.reports.put(self._run(session, tests))
            except BaseException as error:  # such as pytest.exit in a test: rows() waits for an answer
                self.reports.put(error)
            self._student = None
        return True

    def _run(self, session: pytest.Session, items: Sequence[pytest.Item]) -> PytestEntries:
        """Run tests of the session once."""
        if self.only_called:
            return [self._call(item) for item in items]
        tests = self.json_report._json_tests
        tests.clear()
        for item, following in zip(items, [*items[1:], None], strict=True):
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return list(tests.values())

    def _call(self, item: pytest.Item) -> dict[str, Any]:
        """What pytest-json-report would say of a test whose only fixture is this plugin's, called directly.

        Setting up, reporting and tearing down such a test takes pytest longer than the test itself.
        """
        test = cast(pytest.Function, item)
        if "gradient" in test.fixturenames:
            test.funcargs = {"gradient": self._recorded(cast(Item, test.callspec.params["gradient"]))}
        else:
            test.funcargs = {"check": self._check_of(test)}
        call = pytest.CallInfo.from_call(test.runtest, "call", reraise=(pytest.exit.Exception, KeyboardInterrupt))
        entry: dict[str, Any] = {"nodeid": test.nodeid, "metadata": dict(self._found)}
        self._found.clear()
        if call.excinfo is not None and "row" not in entry["metadata"]:
            crash = getattr(pytest.TestReport.from_item_and_call(test, call).longrepr, "reprcrash", None)
            entry["call"] = {"outcome": "failed", "crash": vars(crash) if crash is not None else {}}
        return entry

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "gradient" in metafunc.fixturenames:
            items = self.lesson.gradients
            metafunc.parametrize("gradient", items, ids=[item.name for item in items], indirect=True)

    @pytest.fixture
    def gradient(self, request: pytest.FixtureRequest) -> RecordedGradient:
        return self._recorded(request.param)

    @pytest.fixture
    def check(self, request: pytest.FixtureRequest) -> Check:
        return self._check_of(request.node)

    def _recorded(self, item: Item) -> RecordedGradient:
        gradient = self.gradients[item.name] = GradientCheck(self.lesson, item, self._student, self.book)
        return RecordedGradient(gradient, self.record)

    def _check_of(self, test: pytest.Item) -> Check:
        item = self.lesson.item_for(row_name(test))
        return Check(self.lesson, item, self._student, RemoteTarget(self._student), self.book)

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_runtest_metadata(self) -> dict[str, Any]:
        """What pytest-json-report writes next to the test, once."""
        found = {key: row.to_json() for key, row in self._found.items()}
        self._found.clear()
        return found

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Runs a test with the `check` fixture, however it ends, and records its row."""
        arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        check = arguments.pop("check", None)
        if not isinstance(check, Check):
            return None  # pytest calls it
        own = {check.item.name: lambda given: pyfuncitem.obj(check=given, **arguments)}
        self.record(*row_of_check(tests_of(pyfuncitem.module) | own, check))
        return True

    def record(self, row: Row, explain: Explain | None) -> None:
        """Leave the row as the metadata of the test that is running. Fail the test where the row did not pass."""
        self._found["row"] = row
        if row.status != "passed":
            if explain is not None:
                self.explain[row.name] = explain
            pytest.fail(row.message or row.status, pytrace=False)


def row_name(test: pytest.Item) -> str:
    """The row of a test: the gradient that it is run for, or what follows test_."""
    parameters = test.callspec.params if hasattr(test, "callspec") else {}
    return str(parameters["gradient"].name if "gradient" in parameters else test.name.removeprefix("test_"))


def only_ours(test: pytest.Item) -> bool:
    """Whether the test is a function and asks only for a fixture of GradingPlugin's."""
    if not isinstance(test, pytest.Function) or any(test.iter_markers()):
        return False
    names = set(test.fixturenames) - {"request"}
    return names in ({"gradient"}, {"check"}) and not names & vars(test.module).keys()


class RecordedGradient:
    """The `gradient` fixture: judges, records the row, and fails the test when the gradient does not pass."""

    def __init__(self, gradient: GradientCheck, record: Callable[[Row, Explain], None]) -> None:
        self._gradient, self._record = gradient, record

    def check(self, draws: Sequence[Draw]) -> None:
        self._record(self._gradient.row(draws), partial(explain_gradient, self._gradient, draws))


def rows_of(lesson: Lesson, entries: PytestEntries, only: Collection[str] = ()) -> list[Row]:
    """What the tests have left in their entries. Raises GraderFault when a row is missing."""
    found, said = dict[str, Row](), list[str]()
    for test in entries:
        metadata = test.get("metadata", {})
        if "row" in metadata:
            row = metadata["row"] if isinstance(metadata["row"], Row) else Row.from_json(metadata["row"])
            found[row.name] = row
        else:
            stages = (test[stage] for stage in ("setup", "call", "teardown") if stage in test)
            name = test["nodeid"].rpartition("::")[2]
            said += [f"{name}: {why_ended(stage)}" for stage in stages if stage.get("outcome") == "failed"]
    names = [item.name for item in lesson.items if not only or item.name in only]
    lost = [name for name in names if name not in found]
    if lost:
        why = "\n".join(said)[-3000:]
        raise GraderFault(f"The hidden suite of {lesson.name} gave no row for {', '.join(lost)}:\n{why}")
    return [found[name] for name in names]


def why_ended(stage: Mapping[str, Any]) -> str:
    """The error's type and its line in the hidden suite, without a line of its text: an instructor's page shows it."""
    crash = stage.get("crash", {})
    kind = re.match(r"[\w.]+", str(crash.get("message", stage.get("outcome", ""))))
    where = f"line {crash.get('lineno', '?')} of {Path(str(crash.get('path', ''))).name}"
    return f"{kind.group() if kind else 'an error'} in {where}"


@contextlib.contextmanager
def own_environment(lesson: Lesson) -> Iterator[None]:
    """The environment asks pytest for no plugins and no options, and the module of the suite is new.

    Pytest knows modules by file name, and two lessons may share one.
    """
    name = lesson.suite.stem
    other = sys.modules.pop(name, None)
    before = {each: os.environ.pop(each, None) for each in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", NO_PLUGINS)}
    os.environ[NO_PLUGINS] = "1"
    try:
        yield
    finally:
        del os.environ[NO_PLUGINS]
        os.environ.update({each: value for each, value in before.items() if value is not None})
        sys.modules.pop(name, None)
        if other is not None:
            sys.modules[name] = other
