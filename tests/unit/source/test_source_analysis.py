"""Parsing, literals and aliases in a student's text."""

from __future__ import annotations

import ast

from grader.source.parsing import MAX_OPENING_BRACES, MAX_PARSED_BYTES, parse_submitted
from grader.source.statement_names import VIEW_ATTRIBUTES, SharedNames
from grader.source.syntax import evaluated_outside, parameters, stored_names


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


PARSED = {
    b"x = 1\n": True,
    b"# coding: latin-1\nx = '\xe9'\n": True,
    b"# coding: utf-7\nx = 1\n": False,  # a decoder that is rare, and slow
    b"# coding: no-such\nx = 1\n": False,
    b"x = (\n": False,
    b"x = 1\0\n": False,
    b"#" * (MAX_PARSED_BYTES + 1): False,
    b"[" + b"{}," * MAX_OPENING_BRACES + b"]": True,
    b"[{}," + b"{}," * MAX_OPENING_BRACES + b"]": False,
    "x = '\\d'": True,
}
SHARED = {
    "x": ("x", "x"),
    "x.T[0].view(-1)": ("x", "x"),
    "torch.squeeze(x, 0)": ("x", "x"),
    "x.add_(1)": ("x", "x"),
    "x.grad[0]": ("x", None),
    "x.clone()": (None, None),
    "x + 1": (None, None),
}


def test_a_text_is_parsed_or_refused():
    assert {text: parse_submitted(text) is not None for text in PARSED} == PARSED


def test_the_name_whose_memory_an_expression_shares():
    for text, (name, with_views_only) in SHARED.items():
        assert SharedNames().name_of(expression(text)) == name, text
        assert SharedNames(VIEW_ATTRIBUTES).name_of(expression(text)) == with_views_only, text


def test_parts_of_a_function():
    (node,) = ast.parse("@d\ndef f(a, /, b=1, *c, e, g=2, **h): pass").body
    assert isinstance(node, ast.FunctionDef)
    found = [(each.arg, ast.unparse(default) if default else None) for each, default in parameters(node)]
    assert found == [("a", None), ("b", "1"), ("e", None), ("g", "2"), ("c", None), ("h", None)]
    assert [ast.unparse(each) for each in evaluated_outside(node)] == ["1", "2", "d"]
    assert stored_names(ast.parse("x, y[0] = 1, [z for z in u]\ndef f(): w = 1")) == {"x"}
