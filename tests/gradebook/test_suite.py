"""A hidden suite in a pytest session that stays open: each run has its own report, and an error is a fault of ours."""

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
from grader.verdict.judging.hidden_problems import ProblemBook

SUITE = """
runs = []


def test_first(check):
    runs.append(check._student)


def test_second(check):
    print("printed by a suite")
    if check._student == "wrong":
        check.fail("This one is wrong.", mistake="a_mistake")


def test_both(check):
    if runs[-1] != check._student:
        check.fail("the tests of one run have the same student")
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


def statuses(suite: HiddenSuite, student: str) -> dict[str, str]:
    rows, _ = suite.rows(student)  # type: ignore[arg-type]  # these suites ask a student nothing
    return {row.name: row.status for row in rows}


def test_every_run_has_its_own_student_and_its_own_report(suite_of, capfd):
    suite = suite_of(SUITE, "first", "second", "both")
    right = {"first": "passed", "second": "passed", "both": "passed"}
    assert statuses(suite, "right") == right
    assert statuses(suite, "wrong") == {**right, "second": "failed"}
    assert statuses(suite, "right") == right
    assert capfd.readouterr() == ("", "")


def test_a_row_says_what_the_check_said(suite_of):
    suite = suite_of(SUITE, "first", "second", "both")
    rows, pictures = suite.rows("wrong")
    assert (rows[1].points, rows[1].message, pictures) == (0, "This one is wrong.", {})
    assert rows[1].mistake == ("a_mistake", "This one is wrong.")


def test_two_suites_with_one_file_name_are_two(suite_of):
    before = dict(os.environ)
    one = suite_of("def test_a(check):\n    pass\n", "a", name="one")
    two = suite_of("def test_a(check):\n    check.fail('no')\n", "a", name="two")
    assert [statuses(suite, "s") for suite in (one, two, one)] == [{"a": "passed"}, {"a": "failed"}, {"a": "passed"}]
    assert os.environ.items() >= before.items() - {("PYTEST_CURRENT_TEST", before["PYTEST_CURRENT_TEST"])}
    assert "test_it" not in sys.modules


def test_an_error_in_a_suite_is_a_fault_of_ours_and_says_where(suite_of):
    suite = suite_of("def test_a(check):\n    pass\n\ndef test_b(check):\n    {}['key']\n", "a", "b")
    with pytest.raises(GraderFault, match=r"lesson gave no row for b:\ntest_b: KeyError in line \d+ of test_it.py"):
        statuses(suite, "s")


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


FIXTURE = "import pytest\n\n\n@pytest.fixture({})\ndef {}():\n    yield\n\n\n"


@pytest.mark.parametrize(
    "text",
    [
        FIXTURE.format("", "its_own") + "def test_a(check, its_own):\n    pass\n",
        FIXTURE.format("autouse=True", "around") + "def test_a(check):\n    pass\n",
        FIXTURE.format("", "check") + "def test_a(check):\n    pass\n",
        "import pytest\n\n\n@pytest.mark.skip\ndef test_a(check):\n    pass\n",
        "def setup_module():\n    pass\n\n\ndef test_a(check):\n    pass\n",
        "def test_a(check, gradient):\n    pass\n",
        "def test_a():\n    pass\n",
    ],
    ids=["a fixture", "an autouse fixture", "another check", "a mark", "a setup", "both", "neither"],
)
def test_a_suite_that_needs_more_of_pytest_is_refused(suite_of, text):
    refusal = r"(?s)cannot be run: .*test_a.*: a hidden test takes `gradient` or `check`, and no other fixture"
    with pytest.raises(GraderFault, match=refusal):
        suite_of(text, "a")


def test_a_test_that_is_skipped_gave_no_row(suite_of):
    suite = suite_of("import pytest\n\n\ndef test_a(check):\n    pytest.skip('no')\n", "a")
    with pytest.raises(GraderFault, match="lesson gave no row for a:"):
        suite.rows("student")


def test_the_coordinator_does_without_torch():
    """It would be two seconds before the first grader starts."""
    loads = (
        "import sys, grader.commands.grade, grader.gradebook.grading.run, grader.publish.report.pages\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", loads], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
