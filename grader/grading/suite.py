"""One run of pytest over a lesson's hidden suite, in this trusted process, and the rows read from its JSON report."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pytest_jsonreport.plugin import JSONReport

from grader.check import Row
from grader.checks import ProblemBook
from grader.grading.plugin import GradingPlugin
from grader.grading.student import Student
from grader.lesson import Lesson

PYTEST = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": None, "PYTEST_PLUGINS": None}


class GraderFault(Exception):
    """A fault of ours: the hidden suite did not run as it should. Never the student's."""


SUITES: dict[Path, ModuleType] = {}


@contextlib.contextmanager
def own_module(suite: Path) -> Iterator[None]:
    """Lets pytest find the module of just this suite: it knows them by file name, and two lessons may share one."""
    other = sys.modules.pop(suite.stem, None)
    if suite in SUITES:
        sys.modules[suite.stem] = SUITES[suite]
    try:
        yield
    finally:
        made = sys.modules.pop(suite.stem, None)
        if made is not None:
            SUITES[suite] = made
        if other is not None:
            sys.modules[suite.stem] = other


def run_suite(lesson: Lesson, student: Student, book: ProblemBook) -> tuple[list[Row], dict[str, Any]]:
    """Runs the lesson's hidden suite in this process and reads the rows from its JSON report. Raises GraderFault."""
    report = JSONReport()
    # the suite's folder is the root: no configuration file, no conftest and no path of a submission's is ever looked at
    arguments = [
        str(lesson.suite),
        f"--rootdir={lesson.solution}",
        f"--config-file={os.devnull}",
        f"--confcutdir={lesson.solution}",
        "--noconftest",
        "--import-mode=importlib",
        "--json-report-file=none",
        "--json-report-omit=collectors,log,streams,environment,keywords,traceback",
        "-pno:cacheprovider",
        "-pno:logging",
        "-pno:warnings",
        "-pno:doctest",
        "-pno:junitxml",
        "-pno:pastebin",
        "-pno:unraisableexception",
        "-pno:threadexception",
        "-ppytest_metadata.plugin",
        "-ppytest_jsonreport.plugin",
        "--capture=no",
        "--tb=short",
    ]
    heard = io.StringIO()
    silent = contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard)
    with silent[0], silent[1], environment_variables(PYTEST), own_module(lesson.suite):
        pytest.main(arguments, plugins=[report, GradingPlugin(lesson, student, book)])
    found: dict[str, dict[str, Any]] = {}
    pictures: dict[str, Any] = {}
    for test in (report.report or {}).get("tests", []):
        metadata = test.get("metadata", {})
        if "row" in metadata:
            found[metadata["row"]["name"]] = metadata["row"]
            if "picture" in metadata:
                pictures[metadata["row"]["name"]] = metadata["picture"]
    lost = [item.name for item in lesson.items if item.name not in found]
    if lost:
        raise GraderFault(
            f"The hidden suite of {lesson.name} gave no row for {', '.join(lost)}:\n{heard.getvalue()[-3000:]}"
        )
    return [Row(**found[item.name]) for item in lesson.items], pictures


@contextlib.contextmanager
def environment_variables(changes: Mapping[str, str | None]) -> Iterator[None]:
    """Sets (or, for None, removes) variables of this process, and puts them back."""
    before = {name: os.environ.get(name) for name in changes}
    try:
        for name, value in changes.items():
            set_variable(name, value)
        yield
    finally:
        for name, value in before.items():
            set_variable(name, value)


def set_variable(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
