"""The analyser of names, scopes and aliases that policy, notebooks and diagnosis share."""

from __future__ import annotations

import ast

import pytest

from grader.source.aliases import VIEW_ATTRIBUTES, SharedNames
from grader.source.parsing import MAX_OPENING_BRACES, MAX_PARSED_BYTES, parse_submitted
from grader.source.program import Program
from grader.source.scopes import Scope
from grader.source.syntax import evaluated_outside, literal_number, literal_string, parameters, stored_names


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def scopes_of(text: str) -> tuple[Scope, Program]:
    program = Program({"backward": ("backward.py", ast.parse(text))})
    return program.modules["backward"], program


def function_scope(text: str) -> Scope:
    module, program = scopes_of(text)
    assert isinstance(module.node, ast.Module)
    return program.scopes[id(module.node.body[-1])]


@pytest.mark.parametrize(
    ("text", "is_parsed"),
    [
        (b"x = 1\n", True),
        (b"# coding: latin-1\nx = '\xe9'\n", True),
        (b"# coding: utf-7\nx = 1\n", False),  # a decoder that is rare, and slow
        (b"# coding: no-such\nx = 1\n", False),
        (b"x = (\n", False),
        (b"x = 1\0\n", False),
        (b"#" * (MAX_PARSED_BYTES + 1), False),
        (b"[" + b"{}," * MAX_OPENING_BRACES + b"]", True),
        (b"[{}," + b"{}," * MAX_OPENING_BRACES + b"]", False),
        ("x = '\\d'", True),
    ],
)
def test_a_text_is_parsed_or_refused(text, is_parsed):
    assert (parse_submitted(text) is not None) == is_parsed


@pytest.mark.parametrize(
    ("text", "value"),
    [("1 / 2**10", 2**-10), ("-1e-5", -1e-5), ("1 << 3", 8.0), ("1 / 0", None), ("True", None), ("n * 2", None)],
)
def test_numbers_of_literals(text, value):
    assert literal_number(expression(text)) == value


def test_strings_of_literals():
    assert literal_string(expression("'back' + ('w' + 'ard')")) == "backward"
    assert literal_string(expression("'a' * 3")) is None
    assert literal_string(ast.Constant("a" * 501)) is None


@pytest.mark.parametrize(
    ("text", "name", "with_views_only"),
    [
        ("x", "x", "x"),
        ("x.T[0].view(-1)", "x", "x"),
        ("torch.squeeze(x, 0)", "x", "x"),
        ("x.add_(1)", "x", "x"),
        ("x.grad[0]", "x", None),
        ("x.shape[0]", "x", None),
        ("x.clone()", None, None),
        ("x + 1", None, None),
    ],
)
def test_the_name_whose_memory_an_expression_shares(text, name, with_views_only):
    assert SharedNames().name_of(expression(text)) == name
    assert SharedNames(VIEW_ATTRIBUTES).name_of(expression(text)) == with_views_only


def test_names_that_stand_for_one_expression():
    scope = function_scope(
        "import torch.autograd as a, numpy.linalg\n"
        "def f(p):\n"
        "    from torch import func as g\n"
        "    once = p.x\n    twice = 1\n    twice = 2\n    added = 1\n    added += 2\n"
        "    filled = p\n    filled[0] = 1\n"
        "    first, second = p\n    for i in p: pass\n    note: int\n    gone = p\n    del gone\n"
        "    try: pass\n    except E as error: pass\n"
        "    [inner for inner in p if (walrus := inner)]\n"
    )
    assert set(scope.aliases) == {"once", "filled", "walrus"}
    assert scope.bound_names == {
        *("p", "once", "twice", "added", "filled", "first", "second", "i", "note", "gone", "error", "walrus")
    }
    assert scope.imports == {"g": "torch.func"}
    assert scope.module.imports == {"a": "torch.autograd", "numpy": "numpy"}


def test_a_declared_global_belongs_to_the_module_and_is_no_alias_there():
    scope = function_scope("g = h\ndef f():\n    global g\n    g = 1\n    return g\n")
    assert scope.owner("g") is scope.module and "g" not in scope.bound_names
    assert set(scope.module.aliases) == {"g"}, "what a function assigns is not seen from the module's own text"
    assert len(scope.module.names["g"]) == 2


def test_a_method_does_not_see_the_names_of_its_class():
    module, program = scopes_of("x = 1\nclass A:\n    x = 2\n    def f(self):\n        return x\n")
    assert isinstance(module.node, ast.Module)
    method = program.methods["f"][0]
    assert program.scopes[id(method)].owner("x") is module


def test_parts_of_a_function():
    (node,) = ast.parse("@d\ndef f(a, /, b=1, *c, e, g=2, **h): pass").body
    assert isinstance(node, ast.FunctionDef)
    found = [(each.arg, ast.unparse(default) if default else None) for each, default in parameters(node)]
    assert found == [("a", None), ("b", "1"), ("e", None), ("g", "2"), ("c", None), ("h", None)]
    assert [ast.unparse(each) for each in evaluated_outside(node)] == ["1", "2", "d"]
    assert stored_names(ast.parse("x, y[0] = 1, [z for z in u]\ndef f(): w = 1")) == {"x"}
