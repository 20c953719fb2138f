"""Which lines of a function that returns all gradients can be the reason of a wrong one."""

from __future__ import annotations

import ast

from grader.lesson.lesson import Course
from grader.verdict.explain.edits.changes import edits_of
from grader.verdict.explain.edits.known import Known
from grader.verdict.explain.edits.search import known_on
from grader.verdict.explain.edits.suspects import suspects

RETURNED = ("dW", "dU", "dx")
LOOP = """
def backward(dx, W, U, h):
    dW = h * dx
    dU = 0
    for l in range(2):
        through = helper(dx) * U
        dU = through + other(h)
        dx = dx - through
    return dW, dU, dx
"""


def suspected_lines(source: str, right: list[str]) -> list[int]:
    step = ast.parse(source).body[0]
    assert isinstance(step, ast.FunctionDef)
    found = suspects(step, RETURNED, right)
    return sorted({node.lineno for node in ast.walk(step) if isinstance(node, ast.stmt) and id(node) in found})


def test_lines_behind_right_gradients_are_not_suspected():
    assert suspected_lines(LOOP, ["dW"]) == [6, 7, 8]
    assert suspected_lines(LOOP, ["dW", "dx"]) == [7]


def test_a_text_that_does_not_show_what_is_returned_suspects_nothing():
    assert suspected_lines("def backward(x):\n    return Model(x).run()\n", []) == []


def test_likely_places_come_first():
    source = "def f(a, h):\n    dW = a * h\n    dU = 3 * h\n    return dW, dU\n"
    edits, texts = edits_of(source, "f", "n", Known({"a": [2], "h": [2]}, returned=("dW", "dU"), right=("dW",)))
    first = [edit.line for edit in edits]
    assert first[0] == 3 and 2 in first and 3 not in first[first.index(2) :]
    assert all(ast.parse(text) for text in texts)


def test_an_entry_of_a_list_is_no_name_that_could_be_written(course: Course):
    """With `mid[0]` for `mid`, one changed function was no Python, and with it none of the file's could be tried."""
    known = known_on(course.find("15").public, [])
    assert known.shapes and all(name.isidentifier() for name in known.shapes)
