"""A statement that assigns a gradient which the step is given: the step keeps what it is given."""

from __future__ import annotations

import ast

import pytest

from grader.intake.notebook.given_names import kept_apart
from grader.intake.notebook.script import Statement
from grader.intake.notebook.slices import Slice
from grader.lesson.notebook_table import StepInputs
from grader.source.statement_names import names_of_statement

GIVEN = StepInputs(frozenset({"x", "n"}), frozenset({"dx", "dy", "dz"}), others={"grad_y": "dy"})


def statement(text: str) -> Statement:
    node = ast.parse(text).body[0]
    return Statement(node, "mine.ipynb, cell 1", names_of_statement(node, {}))


@pytest.mark.parametrize(
    ("text", "same", "written"),
    [
        ("dx, dy = f(dz)", [], "dx, dy_here = f(dz)"),
        ("[dx, (dy, *rest)] = f(dz)", [], "[dx, (dy_here, *rest)] = f(dz)"),
        ("dx, *dy = f(dz)", [], "dx, *dy_here = f(dz)"),
        ("dx = dy = f(dz)", [], "dx = dy_here = f(dz)"),
        ("dx, grad_y = f(dz)", ["grad_y"], "dx, grad_y_here = f(dz)"),
        ("dx, dw = f(dz)", [], "dx, dw = f(dz)"),  # not given
        ("n, dx = len(x), f(dz)", [], "n, dx = len(x), f(dz)"),  # a forward value, not a gradient
        ("dx[0], dy[0] = f(dz)", [], "dx[0], dy[0] = f(dz)"),  # changes what is given
    ],
)
def test_only_a_given_gradient_gets_another_name(text, same, written):
    part = Slice([statement(text)], ["x", "n", "dy", "dz"], same)
    statements, renamed = kept_apart(part, GIVEN, ())
    assert [ast.unparse(each.node) for each in statements] == [ast.unparse(ast.parse(written))]
    assert renamed == ({"grad_y_here" if same else "dy_here": same[0] if same else "dy"} if text != written else {})
    assert ast.unparse(part.statements[0].node) == ast.unparse(ast.parse(text))


def test_the_other_name_is_new():
    statements, renamed = kept_apart(Slice([statement("dx, dy = f(dz)")], ["dy"]), GIVEN, {"dy_here", "dy_here_"})
    assert ast.unparse(statements[0].node) == "dx, dy_here__ = f(dz)"
    assert renamed == {"dy_here__": "dy"}
