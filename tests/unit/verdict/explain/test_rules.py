"""Every rule of the table undoes the slip of its example."""

from __future__ import annotations

import ast
import textwrap

from grader.verdict.explain.edits.changed_functions import edits_of
from grader.verdict.explain.edits.coded_changes import Known
from grader.verdict.explain.edits.rules import RULES

KNOWN = Known(
    {"h": [4, 3], "z": [4, 3], "dy": [4, 3], "n": [], "Y": [4]},
    ["n"],
    [1e-5],
    related=("Y",),
)


def function(body: str) -> str:
    is_expression = isinstance(ast.parse(body).body[0], ast.Expr) and "\n" not in body
    return f"def dh(dy, h, n, Y):\n{textwrap.indent(f'return {body}' if is_expression else body, '    ')}\n"


def body_of(text: str) -> str:
    definition = ast.parse(text).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return "\n".join(map(ast.unparse, definition.body))


def test_a_rule_undoes_its_slip() -> None:
    for rule in RULES:
        before, after = map(function, rule.example)
        edits, texts = edits_of(before, "dh", "changed_", KNOWN)
        found = [edit for edit, text in zip(edits, texts, strict=True) if body_of(text) == body_of(after)]
        assert [edit.kind for edit in found] == [rule.id], sorted(map(body_of, texts))
        message = found[0].message
        assert message.endswith("{it} is right.") and message.count("{") == message.count("{it}")
        assert not rule.question or rule.question.endswith("?")
