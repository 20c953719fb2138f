"""What a function is made of: the names, calls, operators and numbers in its code."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeGuard

from grader.source.syntax import is_stub_raise, is_text, nested_statements
from grader.verdict.explain.edits.patterns import GROUPS, called_name
from grader.verdict.explain.edits.source_file import SourceFile, parameter_names, quote_in_context

MAX_POSSIBLE_SIZES = 200
"""Numbers of one function that may be sizes: quoting the code around each takes time."""
SMALLEST_SIZE = 3
"""Smaller whole numbers in the code are hardly sizes: formulas calculate with 2."""

parsed_file = lru_cache(maxsize=1)(SourceFile)
"""The file, parsed once for one wrong function after another."""


def contents_of(source: str, functions: Iterable[str]) -> dict[str, dict[str, Any]]:
    """{function: what it is made of, with the file's functions that it calls}, for those that the file defines.

    names: names that are read; transposed: names whose `.T` is read; hidden: functions of the file whose names are
    variables here; calls: functions and methods called, and attributes read; bare_calls: functions called by their
    bare names; unread: parameters that are not read; operators: their types' names; operands: names next to one;
    numbers: [(number, its line, the code around it)] that may be sizes or constants; random: a function that it calls
    and that draws random numbers, "" for none; imports: the file's modules; raise_left: whether it has other code as
    well as `raise NotImplementedError`; read_before_set: variables that a line both reads and sets first, `g = g +
    1`.
    """
    file = parsed_file(source)
    return {name: contents_of_function(file, name) for name in functions if name in file.functions}


def contents_of_function(file: SourceFile, name: str) -> dict[str, Any]:
    own, reached = file.functions[name], file.reached_from(name)
    nodes = [node for function in reached for node in ast.walk(function)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    operations = [node for node in nodes if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.AugAssign))]
    operands = [each for operation in operations for each in ast.iter_child_nodes(operation)]
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    transposed = [node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr == "T"]
    bare_calls = {node.func.id for node in calls if isinstance(node.func, ast.Name)}
    parents = {id(each): node for node in nodes for each in ast.iter_child_nodes(node)}
    sizes = [node for node in nodes if may_be_size(node, parents.get(id(node)))]
    sizes = sorted(sizes, key=lambda each: each.lineno)[:MAX_POSSIBLE_SIZES]
    numbers = [(each.value, each.lineno, quote_in_context(each, parents)) for each in sizes]
    for label, constant in file.constants.items():
        if label in names and may_be_size(constant, None):
            numbers.append((constant.value, constant.lineno, f"{label} = {constant.value!r}"))
    code = [each for each in own.body if not is_text(each) and not isinstance(each, ast.Pass)]
    return {
        "names": sorted(names),
        "transposed": [each.id for each in transposed if isinstance(each, ast.Name)],
        "hidden": sorted({hidden for each in reached for hidden in hidden_functions(each) if hidden in file.functions}),
        "calls": sorted({node.attr for node in nodes if isinstance(node, ast.Attribute)} | bare_calls),
        "bare_calls": sorted(bare_calls),
        "unread": [each for each in parameter_names(own) if each not in names],
        "operators": sorted({type(each.op).__name__ for each in operations}),
        "operands": sorted({each.id for each in operands if isinstance(each, ast.Name)}),
        "numbers": list(dict.fromkeys(numbers)),
        "random": draws_numbers(own),
        "imports": file.imports,
        "raise_left": len(code) > 1 and any(map(is_stub_raise, code)),
        "read_before_set": read_before_set(own),
    }


def hidden_functions(function: ast.FunctionDef) -> set[str]:
    """The names that it calls and that are also its own variables."""
    called = {called_name(node) for node in ast.walk(function) if isinstance(node, ast.Call)}
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return {each.id for each in names if each.id in called}


def draws_numbers(function: ast.FunctionDef) -> str:
    """The function that it calls and that draws random numbers, without a generator that it is given; "" for none."""
    calls = (
        node for node in ast.walk(function) if isinstance(node, ast.Call) and called_name(node) in GROUPS["random"]
    )
    return next((called_name(each) for each in calls if all(k.arg != "generator" for k in each.keywords)), "")


def read_before_set(function: ast.FunctionDef) -> list[str]:
    """Variables that a statement both reads and sets before anything else has set them: `g = g + 1`."""
    is_set = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    found: dict[str, None] = {}
    for statement in nested_statements(function.body):
        inside = [each for each in ast.iter_child_nodes(statement) if isinstance(each, ast.expr)]
        names = [node for part in inside for node in ast.walk(part) if isinstance(node, ast.Name)]
        stored = {each.id for each in names if isinstance(each.ctx, ast.Store)}
        read = {each.id for each in names if isinstance(statement, ast.AugAssign) or isinstance(each.ctx, ast.Load)}
        found |= dict.fromkeys(sorted((stored & read) - is_set))
        is_set |= stored
    return list(found)


def may_be_size(node: ast.AST, parent: ast.AST | None) -> TypeGuard[ast.Constant]:
    """Whether it is a number that a problem may have, and neither an exponent nor an axis of a shape."""
    match parent:
        case ast.BinOp(op=ast.Pow(), right=number) | ast.Subscript(value=ast.Attribute(attr="shape"), slice=number):
            if node is number:
                return False
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return False
    return type(node.value) is float or node.value >= SMALLEST_SIZE  # type: ignore[operator]
