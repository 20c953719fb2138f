"""A lesson's hidden suite in one pytest session that stays open: collected once, run for one student after another.

Starting pytest and collecting takes longer than running thirty checks. Here `pytest.main` runs in a thread of its own
and waits in its loop over the tests, `pytest_runtestloop`, for students. Each run is whole: its own JSON report, every
fixture set up anew and torn down, those of the module and the session included.
"""

from __future__ import annotations

import contextlib
import io
import os
import queue
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from pytest_jsonreport.plugin import JSONReport

from grader.errors import GraderFault
from grader.gradebook.grading.plugin import GradingPlugin
from grader.lesson.lesson import Lesson
from grader.results import Row
from grader.sandbox.workers.student import Student
from grader.verdict.judge.problems import ProblemBook

NO_PLUGINS = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
PYTEST_STAGES = ("setup", "call", "teardown")

PytestEntries = list[dict[str, Any]]
"""What pytest-json-report writes about each test, in its list `tests`."""


class OpenSession:
    """The pytest plugin that keeps the session open. `turns` receives True for each run, and False to end."""

    def __init__(self, grading: GradingPlugin) -> None:
        self._grading, self.json_report = grading, JSONReport()
        self.turns: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.reports: queue.SimpleQueue[PytestEntries | BaseException | None] = queue.SimpleQueue()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed or not session.items:
            return True  # the suite could not be collected, which pytest has said by now
        torch.set_num_threads(1)  # counts for one thread only
        # it would keep the report of every test, and format it for nobody
        session.config.pluginmanager.unregister(name="terminalreporter")
        self.reports.put(None)
        while self.turns.get():
            try:
                self.reports.put(self._run(session))
            except BaseException as error:  # such as pytest.exit in a test: rows() waits for an answer
                self.reports.put(error)
        return True

    def _run(self, session: pytest.Session) -> PytestEntries:
        """Run every test of the session once."""
        if self._grading.only_called:
            return [self._grading.call(item) for item in session.items]
        tests = self.json_report._json_tests
        tests.clear()
        for item, following in zip(session.items, [*session.items[1:], None], strict=True):
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return list(tests.values())


class HiddenSuite:
    """`book` are the problems of the run. Everything that can go wrong raises GraderFault."""

    def __init__(self, lesson: Lesson, book: ProblemBook) -> None:
        self._lesson, self._grading = lesson, GradingPlugin(lesson, book)
        self._open = OpenSession(self._grading)
        self._heard = io.StringIO()
        self._thread = threading.Thread(target=self._pytest, name=f"suite of {lesson.name}", daemon=True)
        with self._quiet(), pytest_environment(), own_module(lesson):
            self._thread.start()
            failure = self._open.reports.get()
        if failure is not None:
            raise GraderFault(f"The hidden suite of {lesson.name} cannot be run: {failure}\n{self._heard.getvalue()}")

    def rows(self, student: Student) -> tuple[list[Row], dict[str, Any]]:
        """The student's rows in the lesson's order, and {row's name: picture of its error}."""
        self._grading.student = student
        with self._quiet():
            self._open.turns.put(True)
            entries = self._open.reports.get()
        self._grading.student = None
        if entries is None or isinstance(entries, BaseException):
            raise GraderFault(f"The hidden suite of {self._lesson.name} was ended: {entries}")
        return rows_of(self._lesson, entries)

    def close(self) -> None:
        self._open.turns.put(False)
        self._thread.join()

    def _quiet(self) -> contextlib.ExitStack:
        self._heard.seek(0)
        self._heard.truncate()
        stack = contextlib.ExitStack()
        stack.enter_context(contextlib.redirect_stdout(self._heard))
        stack.enter_context(contextlib.redirect_stderr(self._heard))
        return stack

    def _pytest(self) -> None:
        lesson = self._lesson
        # the suite's folder is the root, so pytest reads no configuration file and no conftest of a submission
        arguments = [
            str(lesson.suite),
            f"--rootdir={lesson.solution}",
            f"--config-file={os.devnull}",
            f"--confcutdir={lesson.solution}",
            "--noconftest",
            "--import-mode=importlib",
            "--json-report-file=none",
            "--json-report-omit",
            *("collectors", "log", "streams", "keywords", "traceback"),
            "-ppytest_metadata.plugin",
            "-ppytest_jsonreport.plugin",
            "--capture=no",
            "--tb=short",
            "--disable-warnings",
            "-pno:cacheprovider",  # it would write into the course
        ]
        ended: object = None
        try:
            ended = pytest.main(arguments, plugins=[self._open.json_report, self._open, self._grading])
        except BaseException as error:
            ended = error
        self._open.reports.put(ended if isinstance(ended, BaseException) else GraderFault(f"pytest ended with {ended}"))


def rows_of(lesson: Lesson, entries: PytestEntries) -> tuple[list[Row], dict[str, Any]]:
    """What the tests have left in their entries. Raises GraderFault when a row is missing."""
    found: dict[str, Row] = {}
    pictures: dict[str, Any] = {}
    said: list[str] = []
    for test in entries:
        metadata = test.get("metadata", {})
        if "row" in metadata:
            row = metadata["row"] if isinstance(metadata["row"], Row) else Row.from_json(metadata["row"])
            found[row.name] = row
            if "picture" in metadata:
                pictures[row.name] = metadata["picture"]
        else:
            said += [
                f"{test['nodeid'].rpartition('::')[2]}: {why_ended(test[stage])}"
                for stage in PYTEST_STAGES
                if test.get(stage, {}).get("outcome") == "failed"
            ]
    lost = [item.name for item in lesson.items if item.name not in found]
    if lost:
        why = "\n".join(said)[-3000:]
        raise GraderFault(f"The hidden suite of {lesson.name} gave no row for {', '.join(lost)}:\n{why}")
    return [found[item.name] for item in lesson.items], pictures


def why_ended(stage: Mapping[str, Any]) -> str:
    """The error's type and its line in the hidden suite, without a line of its text: an instructor's page shows it."""
    crash = stage.get("crash", {})
    kind = re.match(r"[\w.]+", str(crash.get("message", stage.get("outcome", ""))))
    where = f"line {crash.get('lineno', '?')} of {Path(str(crash.get('path', ''))).name}"
    return f"{kind.group() if kind else 'an error'} in {where}"


@contextlib.contextmanager
def own_module(lesson: Lesson) -> Iterator[None]:
    """Lets pytest import the module of just this suite: it knows them by file name, and two lessons may share one."""
    name = lesson.suite.stem
    other = sys.modules.pop(name, None)
    try:
        yield
    finally:
        sys.modules.pop(name, None)
        if other is not None:
            sys.modules[name] = other


@contextlib.contextmanager
def pytest_environment() -> Iterator[None]:
    """The environment asks pytest for no plugins and no options."""
    before = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", NO_PLUGINS)}
    os.environ[NO_PLUGINS] = "1"
    try:
        yield
    finally:
        del os.environ[NO_PLUGINS]
        os.environ.update({name: value for name, value in before.items() if value is not None})
