"""Every rule of the table undoes the slip of its example."""

from __future__ import annotations

import ast
import textwrap

import pytest

from grader.verdict.explain.edits.changes import edits_of
from grader.verdict.explain.edits.known import Known
from grader.verdict.explain.edits.rule import Rule
from grader.verdict.explain.edits.rules import BACKWARD_UPDATE, RULES

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


@pytest.mark.parametrize("rule", [*RULES, BACKWARD_UPDATE], ids=lambda rule: f"{rule.id}: {rule.example[0]}")
def test_a_rule_undoes_its_slip(rule: Rule) -> None:
    before, after = map(function, rule.example)
    edits, texts = edits_of(before, "dh", "changed_", KNOWN)
    if rule.id in ("result_unused", "value_unused"):
        edits, texts = edits_of(before.replace("return ", ""), "dh", "changed_", KNOWN)
        after = after.replace("return ", "")
    kinds = [edit for edit, text in zip(edits, texts, strict=True) if body_of(text) == body_of(after)]
    assert [edit.kind for edit in kinds] == [rule.id], sorted(map(body_of, texts))
    text, fix, question = kinds[0].sentences("your `dh`")
    assert text == rule.text.format(it="your `dh`", **kinds[0].words) and text.endswith((".", "?"))
    assert fix.endswith((".", "?")) and (not question or question.endswith("?"))
