"""Answers that attack who judges them: each gets its exact verdict, in a moment, and none earns a point.

The file answers.toml comes from anybody. Everything here goes through `question_rows`, with a worker for lines of code.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from shared_nursery import forked_zygote
from support import guarded, sampled

from grader.errors import UserError
from grader.gradebook.grading.question_rows import line_runner, question_rows
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.answer_files import with_answers
from grader.intake.submissions.gathered import gathered
from grader.lesson.lesson import Course
from grader.questions.answers_file import read_answers
from grader.questions.code_lines import results_agree
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers.client import ZygoteProcess

ENDLESS = "0x" + "f" * 5000
"""A whole number that TOML accepts and Python does not print."""
HOSTILE = {
    "the negative of a truth, which numpy refuses": ('sum_of_two = "-(1 < 2)"', "error"),
    "a number that cannot be printed": (f"sum_of_two = {ENDLESS}", "error"),
    "powers of powers": ('sum_of_two = "9**9**9**9**9"', "error"),
    "lists in lists": ("sum_of_two = " + "[" * 150 + "]" * 150, "error"),
    "30,000 choices": ("softmax_terms = [" + '"a",' * 30_000 + "]", "error"),
    "a deep line": ('sum_backward = "' + "-" * 290 + 'dy"', "failed"),
    "a line that runs for hours": ('sum_backward = "[each for each in range(10**12)]"', "error"),
    "a line that takes all memory": ('sum_backward = "torch.ones(10**11)"', "error"),
    "a line beyond floats": ('sum_backward = "10**400"', "failed"),
    "a complex line whose real part is right": (
        'broadcast_backward = "torch.complex(dy.sum(0), dy.sum(0))"',
        "failed",
    ),
    "a line that opens a file": ("sum_backward = \"open('/etc/passwd').read()\"", "error"),
    "a line that ends its process": ('sum_backward = "torch.os.abort()"', "error"),
    "a line of generators": ('sum_backward = "(each for each in [dy])"', "failed"),
}


@pytest.fixture(scope="module")
def zygote() -> Iterator[ZygoteProcess]:
    process = forked_zygote(Plan(probe().layers, Limits(step_seconds=0.5)))
    yield process
    process.close()


def files(answers: str) -> LessonFiles:
    return LessonFiles("01_chain_rule", {}, answers=f"[answers]\n{answers}\n".encode())


@sampled("name", HOSTILE, keep=6)
def test_a_hostile_answer_gets_its_verdict(name: str, course: Course, zygote: ZygoteProcess) -> None:
    text, expected = HOSTILE[name]
    with guarded():
        rows, message = question_rows(course.find("01"), files(text), "s", line_runner(zygote, 0.5))
    assert message is None
    statuses = {row.name: row.status for row in rows}
    assert statuses.pop(f"q:{text.partition(' ')[0]}") == expected
    assert set(statuses.values()) == {"todo"}
    assert all(len(row.message or "") < 1500 and "solutions" not in (row.message or "") for row in rows)


def test_a_question_that_nobody_asks_is_shown_in_part(course: Course, zygote: ZygoteProcess) -> None:
    rows, message = question_rows(course.find("01"), files("a" * 90_000 + ' = "1"'), "s", line_runner(zygote))
    assert {row.status for row in rows} == {"todo"}
    assert message is not None and 100 < len(message) < 2000


@pytest.mark.full
def test_all_lines_of_a_lesson_share_one_deadline(course: Course, zygote: ZygoteProcess) -> None:
    """Else a file with many lines would take as many deadlines, beyond those of the submission."""
    text = 'sum_backward = "sum(range(10**13))"\nbroadcast_backward = "dy.sum(0)"'
    rows, _ = question_rows(course.find("01"), files(text), "s", line_runner(zygote, 0.3))
    lines = {row.name: row for row in rows if row.status != "todo"}
    assert {row.status for row in lines.values()} == {"error"}
    assert "no value" in (lines["q:broadcast_backward"].message or "")


def test_results_of_any_kind_are_compared() -> None:
    for found in [10**400, 1j, [[1], [1, 2]], {"a": 1}, None, "text", torch.ones(2, dtype=torch.complex128), [10**400]]:
        assert not results_agree([found], [torch.ones(2, dtype=torch.float64)])


READ_BY_THE_COORDINATOR = {
    "a student without end": (f"student = {ENDLESS}\n", True),
    "a lesson without end": (f"lesson = {ENDLESS}\n", True),
    "a key of 90,000 parts": (".".join("a" * 90_000) + " = 1\n", False),
    "14,000 tables": ("".join(f"a{i}.b.c = 1\n" for i in range(14_000)), True),
    "lists in lists": ("x = " + "[" * 60_000 + "\n", False),
    "a number of 9,000 digits": (f"x = {'9' * 9_000}\n", False),
}


@pytest.mark.parametrize("name", READ_BY_THE_COORDINATOR)
def test_no_file_stalls_or_ends_the_coordinator(name: str, tmp_path: Path, course: Course) -> None:
    """It reads each answers.toml to find out whose it is, in its own process."""
    text, is_read = READ_BY_THE_COORDINATOR[name]
    folder = tmp_path / "01_chain_rule"
    folder.mkdir()
    (folder / "answers.toml").write_text(text)
    with guarded(), gathered(tmp_path) as files:
        found, remarks = with_answers({}, files, "ada lovelace", [course.find("01")])
    assert set(found) == {"01_chain_rule"} and all(len(each.message) < 1000 for each in remarks)
    with contextlib.nullcontext() if is_read else pytest.raises(UserError, match=r"answers\.toml"):
        read_answers(text.encode())
