"""What a function is made of: the names, calls, operators and numbers in its code."""

from __future__ import annotations

import ast
import math
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, TypeGuard

from grader.source.code_pieces import pieces_in
from grader.source.syntax import is_stub_raise, is_text, nested_statements
from grader.verdict.explain.edits.coded_changes import Around, Known
from grader.verdict.explain.edits.patterns import GROUPS, called_name
from grader.verdict.explain.edits.rules import RULES, changes_by_rules
from grader.verdict.explain.edits.source_file import SourceFile, quote

MAX_POSSIBLE_SIZES = 200
"""Whole numbers of one function that may be sizes: quoting the code around each takes time."""
MAX_ROOT = 1_000
OPEN_WIDTHS = frozenset({"unique", "set", "unique_consecutive", "Counter"})
"""Functions whose results are as long as the data need."""


def contents_of(source: str, functions: Iterable[str]) -> dict[str, dict[str, Any]]:
    """{function: what it is made of, with the file's functions that it calls}, for those that the file defines.

    names: names that are read; calls: functions and methods called, and attributes read; bare_calls: functions called
    by their bare names; operators: their types' names; operands: names that stand next to one; numbers: [(number, its
    line, the code around it)] that may be sizes or their roots; open_widths: whether something may be as long as the
    data need (`F.one_hot` without the number of classes); pieces: {function: its small expressions without their
    names}, see code_pieces; slips: the ids of the sure rules that apply somewhere; random: a function that it calls
    itself and that draws random numbers, "" for none; imports: the modules that the file imports; raise_left: whether
    it has other code as well as `raise NotImplementedError`; read_before_set: variables that a line both reads and sets
    first, `g = g + 1`.
    """
    file = latest_file(source)
    return {name: contents_of_function(file, name) for name in functions if name in file.functions}


@lru_cache(maxsize=1)
def latest_file(source: str) -> SourceFile:
    """The file, parsed once for one wrong function after another."""
    return SourceFile(source)


def contents_of_function(file: SourceFile, name: str) -> dict[str, Any]:
    own, reached = file.functions[name], file.reached_from(name)
    nodes = [node for function in reached for node in ast.walk(function)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    operations = [node for node in nodes if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.AugAssign))]
    operands = [each for operation in operations for each in ast.iter_child_nodes(operation)]
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    bare_calls = {node.func.id for node in calls if isinstance(node.func, ast.Name)}
    sizes = (size for function in reached for statement in function.body for size in whole_numbers(statement))
    numbers = list(islice(sizes, MAX_POSSIBLE_SIZES))
    for label, constant in file.constants.items():
        if label in names and type(constant.value) is int and constant.value > 1:
            numbers.append((constant.value, constant.lineno, f"{label} = {constant.value}"))
    code = [each for each in own.body if not is_text(each) and not isinstance(each, ast.Pass)]
    return {
        "names": sorted(names),
        "calls": sorted({node.attr for node in nodes if isinstance(node, ast.Attribute)} | bare_calls),
        "bare_calls": sorted(bare_calls),
        "operators": sorted({type(each.op).__name__ for each in operations}),
        "operands": sorted({each.id for each in operands if isinstance(each, ast.Name)}),
        "numbers": list(dict.fromkeys(numbers)),
        "open_widths": any(map(has_open_width, nodes)),
        "pieces": {function.name: sorted(pieces_in(function.body)) for function in reached},
        "slips": sorted(set[str]().union(*map(sure_slips, reached))),
        "random": draws_numbers(own),
        "imports": file.imports,
        "raise_left": len(code) > 1 and any(map(is_stub_raise, code)),
        "read_before_set": read_before_set(own),
    }


def sure_slips(code: ast.AST) -> set[str]:
    """The ids of the sure rules that apply somewhere in the code."""
    around = Around(ast.FunctionDef("", ast.arguments([], [], None, [], [], None, []), [], []), Known(), "")
    return {RULES[n].id for node in ast.walk(code) for n, _, _ in changes_by_rules(node, around, only_sure=True)}


def draws_numbers(function: ast.FunctionDef) -> str:
    """The function that it calls and that draws random numbers, without a generator that it is given; "" for none."""
    calls = (
        node for node in ast.walk(function) if isinstance(node, ast.Call) and called_name(node) in GROUPS["random"]
    )
    return next((called_name(each) for each in calls if all(k.arg != "generator" for k in each.keywords)), "")


def has_open_width(node: ast.AST) -> bool:
    """Whether it makes an axis that is as long as the data need, or counts how long: `tokens.max() + 1`."""
    match node:
        case ast.BinOp(op=ast.Add(), left=counted, right=ast.Constant(value=1)):
            return any(called_name(each) in ("max", "amax") for each in ast.walk(counted))
        case ast.Call(args=arguments, keywords=named):
            given = len(arguments) + len(named)
            needed = {"one_hot": 2, "bincount": 2 if named else 3}.get(called_name(node), 0)
            return given < needed or called_name(node) in OPEN_WIDTHS
    return False


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


def may_be_a_size(value: object) -> TypeGuard[float]:
    """Whether it is a whole number larger than 1, or the root of one."""
    if type(value) is float and 1 < value < MAX_ROOT:
        return not value.is_integer() and math.isclose(value**2, round(value**2), rel_tol=1e-6)
    return type(value) is int and value > 1


def whole_numbers(statement: ast.stmt) -> Iterator[tuple[float, int, str]]:
    """(value, line, code around it) of numbers that may be sizes, or their roots: no exponents and no axes.

    Formulas calculate with 2, so a 2 next to an operator is none.
    """
    waiting: deque[tuple[ast.AST, ast.AST]] = deque([(statement, statement)])
    quote_once = lru_cache(maxsize=1)(quote)  # the numbers of a long list are all quoted with the same code
    while waiting:
        node, around = waiting.popleft()
        if isinstance(node, ast.Constant) and may_be_a_size(node.value):
            yield node.value, node.lineno, quote_once(around)
        if isinstance(node, (ast.Call, ast.BinOp, ast.Assign, ast.Subscript)):
            around = node
        no_sizes: list[ast.AST] = []
        match node:
            case ast.Subscript(value=ast.Attribute(attr="shape"), slice=axis):
                no_sizes = [axis]
            case ast.Call(args=arguments, keywords=named) if called_name(node) in GROUPS["with_axes"]:
                no_sizes = [*named, *(each for each in arguments if not isinstance(each, ast.Name | ast.Call))]
            case ast.Call(args=arguments, keywords=named):
                no_sizes = [each for each in named if each.arg in GROUPS["axis_keywords"]]
                if called_name(node) in GROUPS["axis_first"]:
                    no_sizes += [each for each in arguments[:2] if isinstance(each, ast.Constant)][:1]
            case ast.BinOp(op=ast.Pow(), right=exponent):
                no_sizes = [exponent]
            case ast.BinOp(left=left, right=right):
                no_sizes = [each for each in (left, right) if isinstance(each, ast.Constant) and each.value == 2]
        waiting += [(each, around) for each in ast.iter_child_nodes(node) if not any(each is no for no in no_sizes)]
