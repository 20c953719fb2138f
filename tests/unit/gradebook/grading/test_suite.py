"""A hidden suite in a pytest session that stays open: every run is whole, and what goes wrong is a fault of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.errors import GraderFault
from grader.gradebook.grading.suite import HiddenSuite
from grader.lesson.lesson import Item
from grader.reference.runner import StepRunner
from grader.verdict.judge.problems import ProblemBook

FIXTURES = """
import pytest

ended = []


@pytest.fixture(scope="session")
def of_the_session():
    yield []
    ended.append("session")


@pytest.fixture(scope="module")
def of_the_module():
    yield []
    ended.append("module")


def test_first(check, of_the_session, of_the_module):
    of_the_session.append(1)
    of_the_module.append(1)
    if (of_the_session, of_the_module) != ([1], [1]):
        check.fail("something is left from the run before")


def test_second(check, of_the_session):
    print("printed by a suite")
    if of_the_session != [1]:
        check.fail("not the same fixture as in the test before")
    if check.student.name == "wrong":
        check.fail("This one is wrong.", mistake="a_mistake")


def test_teardown(check):
    if len(ended) % 2:
        check.fail("fixtures were not ended together")
"""


@pytest.fixture
def suite_of(tmp_path: Path) -> Iterator[Callable[..., HiddenSuite]]:
    """suite_of(text, rows): the open suite of a lesson that has just this test file and these rows."""
    made: list[HiddenSuite] = []

    def suite(text: str, *rows: str, name: str = "lesson") -> HiddenSuite:
        solution = tmp_path / name
        solution.mkdir()
        (solution / "test_it.py").write_text(text)
        items = {row: Item(row, None, 1, (), row) for row in rows}
        lesson: Any = SimpleNamespace(
            name=name,
            solution=solution,
            suite=solution / "test_it.py",
            items=tuple(items.values()),
            gradients=(),
            answers=SimpleNamespace(),
            item_for=items.__getitem__,
        )
        made.append(HiddenSuite(lesson, ProblemBook(1)))
        return made[-1]

    yield suite
    for each in made:
        each.close()


class Named(StepRunner):
    """A student whom these suites ask nothing."""

    def __init__(self, name: str) -> None:
        self.name = name


def statuses(suite: HiddenSuite, student: str) -> dict[str, str]:
    rows, *_ = suite.judge(Named(student))  # type: ignore[arg-type]
    return {row.name: row.status for row in rows}


def test_every_run_has_its_own_fixtures_and_its_own_report(suite_of, capfd):
    suite = suite_of(FIXTURES, "first", "second", "teardown")
    right = {"first": "passed", "second": "passed", "teardown": "passed"}
    assert statuses(suite, "right") == right
    assert statuses(suite, "wrong") == {**right, "second": "failed"}
    assert statuses(suite, "right") == right
    assert capfd.readouterr() == ("", "")


def test_two_suites_with_one_file_name_are_two(suite_of):
    before = dict(os.environ)
    one = suite_of("def test_a(check):\n    pass\n", "a", name="one")
    two = suite_of("def test_a(check):\n    check.fail('no')\n", "a", name="two")
    assert [statuses(suite, "s") for suite in (one, two, one)] == [{"a": "passed"}, {"a": "failed"}, {"a": "passed"}]
    assert os.environ.items() >= before.items() - {("PYTEST_CURRENT_TEST", before["PYTEST_CURRENT_TEST"])}
    assert "test_it" not in sys.modules


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def test_a(check:\n", "SyntaxError"),
        ("raise OSError('not here')\n", "OSError: not here"),
        ("", "pytest ended with"),
    ],
)
def test_a_suite_that_cannot_be_collected(suite_of, text, said):
    with pytest.raises(GraderFault, match=rf"(?s)The hidden suite of lesson cannot be run: .*{said}"):
        suite_of(text, "a")


def test_a_suite_that_leaves_pytest(suite_of):
    suite = suite_of("import pytest\n\ndef test_a(check):\n    pytest.exit('enough')\n", "a")
    with pytest.raises(GraderFault, match="The hidden suite of lesson was ended: enough"):
        statuses(suite, "s")


NEEDED = "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef around():\n    yield\n\n\n"
ONLY_OURS = """
def test_right(check):
    pass


def test_wrong(check):
    check.fail("This one is wrong.", mistake="a_mistake")


def test_broken(check):
    raise RuntimeError("a fault of the suite's")
"""


@pytest.mark.parametrize("text", [ONLY_OURS, NEEDED + ONLY_OURS], ids=["only called", "with what pytest sets up"])
def test_the_short_way_gives_what_the_long_one_does(suite_of, text):
    suite = suite_of(text.replace("test_broken", "test_broken_too"), "right", "wrong", "broken_too")
    with pytest.raises(
        GraderFault, match=r"lesson gave no row for broken_too:\n.*: RuntimeError in line \d+ of test_it"
    ):
        suite.judge(Named("student"))
    suite = suite_of(text.partition("def test_broken")[0], "right", "wrong", name="sound")
    rows, gradients, explain = suite.judge(Named("student"))
    assert suite.plugin.only_called == (text is ONLY_OURS)
    assert [(row.name, row.status, row.points, row.message) for row in rows] == [
        ("right", "passed", 1, None),
        ("wrong", "failed", 0, "This one is wrong."),
    ]
    assert rows[1].mistake == ("a_mistake", "This one is wrong.") and gradients == {} and list(explain) == ["wrong"]


@pytest.mark.full
def test_the_coordinator_does_without_torch():
    """It would be two seconds before the first grader starts."""
    loads = (
        "import sys, grader.commands.grade, grader.gradebook.grading.run, grader.publish.report.pages\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", loads], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
