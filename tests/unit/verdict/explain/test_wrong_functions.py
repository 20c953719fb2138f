"""Rows that are computed with a wrong function of the same file."""

from __future__ import annotations

import pytest
from support import solution_of

from grader.lesson.lesson import Course
from grader.results import NamedMistake, Row
from grader.verdict.explain.row_places import name_wrong_functions

PLAIN = "Worst element [0]."
WITH = "This is computed with your `{}`, which is not right yet: start there."


def messages(course: Course, number: str, wrong: list[str], named: str = "") -> dict[str, str | None]:
    """{row: message}; the row `named` has a named mistake."""
    lesson = course.find(number)
    rows = [Row(item.name, "failed" if item.name in wrong else "passed", 0, item.points) for item in lesson.items]
    for row in rows:
        row.message = PLAIN if row.name in wrong else None
        row.mistake = NamedMistake("sign", PLAIN) if row.name == named else None
    name_wrong_functions(lesson, rows, solution_of(lesson))
    return {row.name: row.message for row in rows if row.message is not None}


def test_a_gradient_that_is_computed_with_a_wrong_function(course: Course):
    """`db2` is computed before gelu_backward is called, and the mistake in `dgain2` is known."""
    found = messages(course, "14", ["gelu_backward", "dW1", "db2", "dgain2"], named="dgain2")
    assert found == {"gelu_backward": PLAIN, "db2": PLAIN, "dgain2": PLAIN, "dW1": WITH.format("gelu_backward")}


def test_a_check_that_is_computed_with_a_wrong_function(course: Course):
    """Its own message may be about a part that the other function has nothing to do with."""
    found = messages(course, "09", ["backward_all", "backward_checkpointed"])
    assert found == {"backward_all": PLAIN, "backward_checkpointed": WITH.format("backward_all")}
    assert messages(course, "09", ["backward_checkpointed"]) == {"backward_checkpointed": PLAIN}


@pytest.mark.parametrize(
    ("inner", "outer", "is_named"),
    [("failed", "error", False), ("failed", "shape", False), ("shape", "error", True), ("error", "error", True)],
)
def test_wrong_numbers_cause_no_error_and_no_wrong_shape(course: Course, inner, outer, is_named):
    lesson = course.find("09")
    rows = [Row("backward_all", inner, 0, 1), Row("backward_checkpointed", outer, 0, 1, message=PLAIN)]
    name_wrong_functions(lesson, rows, solution_of(lesson))
    assert rows[1].message == (f"{WITH.format('backward_all')} {PLAIN}" if is_named else PLAIN)


def test_two_functions_that_call_each_other(course: Course):
    """Neither is said to come first."""
    lesson = course.find("16")
    rows = [Row(name, "error", 0, 1) for name in ("rnn_backward", "truncated_backward")]
    text = "def rnn_backward(k): return truncated_backward(k)\ndef truncated_backward(k): return rnn_backward(k)\n"
    name_wrong_functions(lesson, rows, text)
    assert [row.message for row in rows] == [None, None]


def test_gradients_of_a_wrong_forward_pass(course: Course):
    found = messages(course, "15", ["dW1", "loss"])
    assert found == {"dW1": "Your `loss` is wrong, too, and it comes first: start there.", "loss": PLAIN}
