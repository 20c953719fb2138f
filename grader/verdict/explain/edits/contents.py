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
from grader.verdict.explain.edits.leftovers import keeps_the_stub_s_raise, read_before_set
from grader.verdict.explain.edits.patterns import matches, parsed_pair
from grader.verdict.explain.edits.source_file import SourceFile, called_name, draws_numbers, is_module, quote

MAX_POSSIBLE_SIZES = 200
"""Whole numbers of one function that may be sizes: quoting the code around each takes time."""
MAX_ROOT = 1_000
OF_AXES = frozenset(
    {"transpose", "swapaxes", "permute", "movedim", "moveaxis", "flip", "squeeze", "unsqueeze", "flatten", "size"}
    | {"sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "var", "std", "norm"}
    | {"logsumexp", "softmax", "log_softmax", "cumsum", "cumprod"}
)
"""Functions and methods whose whole numbers are axes."""
AXIS_FIRST = frozenset(
    {"select", "narrow", "unflatten", "unfold", "gather", "scatter", "scatter_", "scatter_add", "scatter_add_"}
    | {"index_select", "index_add", "index_add_", "index_copy", "index_copy_", "take_along_dim"}
)
"""The first number is an axis."""
AXIS_LAST = frozenset({"cat", "concat", "concatenate", "stack"})
"""The last argument is an axis, if there are two."""
WRITTEN = (ast.Constant, ast.UnaryOp, ast.Tuple, ast.List)
"""How axes are written as numbers: `1`, `-1`, `(0, 1)`."""
MULTIPLIED_SUMS = ("A.any_sum(*X) * B.any_sum(*X)", "C * A.any_sum(*X) * B.any_sum(*X)")
AXIS_KEYWORDS = frozenset({"dim", "dims", "axis", "axes", "dim0", "dim1", "axis0", "axis1", "start_dim", "end_dim"})


def contents_of(source: str, functions: Iterable[str]) -> dict[str, dict[str, Any]]:
    """{function: what it is made of, with the file's functions that it calls}, for those that the file defines.

    names: names that are read; calls: functions and methods called, and attributes read; operators: their types' names;
    operands: names that stand next to one; numbers: [(number, its line, the code around it)] that may be sizes or their
    roots; open_widths: whether something may be as long as the data need (`F.one_hot` without the number of classes);
    pieces: {function: its small expressions without their names}, see code_pieces; multiplies_sums: whether two sums
    are multiplied; discards: whether it computes a value that nothing uses; overwrites: whether a loop assigns to
    places that an index selects; random: a function that it calls itself and that draws random numbers, "" for none;
    imports: the modules that the file imports; bare_calls: functions called by their bare names;
    raise_left, read_before_set: see leftovers.
    """
    file = latest_file(source)
    return {name: contents_of_function(file, name) for name in functions if name in file.functions}


@lru_cache(maxsize=1)
def latest_file(source: str) -> SourceFile:
    """The file, parsed once for one wrong function after another."""
    return SourceFile(source)


def contents_of_function(file: SourceFile, name: str) -> dict[str, Any]:
    names, calls, operators, operands, bare_calls = set[str](), set[str](), set[str](), set[str](), set[str]()
    numbers: list[tuple[float, int, str]] = []
    open_widths = False
    pieces: dict[str, list[str]] = {}
    for function in file.reached_from(name):
        pieces[function.name] = sorted(pieces_in(function.body))
        open_widths = open_widths or counts_to_the_largest(function)
        for node in ast.walk(function):
            match node:
                case ast.Name(id=read, ctx=ast.Load()):
                    names.add(read)
                case ast.Attribute(attr=attribute):
                    calls.add(attribute)
                case ast.BinOp() | ast.UnaryOp() | ast.AugAssign():
                    operators.add(type(node.op).__name__)
                    operands |= {each.id for each in ast.iter_child_nodes(node) if isinstance(each, ast.Name)}
                case ast.Call():
                    open_widths = open_widths or has_open_width(node)
                    bare_calls |= {node.func.id} if isinstance(node.func, ast.Name) else set()
        numbers += islice(
            (entry for statement in function.body for entry in whole_numbers(statement)), MAX_POSSIBLE_SIZES
        )
    for label, constant in file.constants.items():
        if label in names and type(constant.value) is int and constant.value > 1:
            numbers.append((constant.value, constant.lineno, f"{label} = {constant.value}"))
    return {
        "names": sorted(names),
        "calls": sorted(calls | bare_calls),
        "bare_calls": sorted(bare_calls),
        "operators": sorted(operators),
        "operands": sorted(operands),
        "numbers": list(dict.fromkeys(numbers)),
        "open_widths": open_widths,
        "pieces": pieces,
        "multiplies_sums": any(map(multiplies_sums, file.reached_from(name))),
        "discards": any(map(discards, file.reached_from(name))),
        "overwrites": any(map(overwrites, file.reached_from(name))),
        "random": draws_numbers(file.functions[name]),
        "imports": file.imports,
        "raise_left": keeps_the_stub_s_raise(file.functions[name]),
        "read_before_set": read_before_set(file.functions[name]),
    }


def multiplies_sums(code: ast.AST) -> bool:
    """Whether two sums, or two means, are multiplied somewhere in the code."""
    patterns = [parsed_pair(each, "A")[0] for each in MULTIPLIED_SUMS]
    return any(any(matches(pattern, node, {})) for node in ast.walk(code) for pattern in patterns)


def discards(function: ast.FunctionDef) -> bool:
    """Whether there is a statement such as `p - 1`, or `p.sub(1)` for `p.sub_(1)`."""
    for node in ast.walk(function):
        match node:
            case ast.Expr(value=ast.BinOp()):
                return True
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver, attr=method))):
                if not is_module(receiver) and not method.endswith("_"):
                    return True
    return False


def overwrites(function: ast.FunctionDef) -> bool:
    """Whether there is an assignment such as `g[i] = d[i]` in a loop."""
    return any(
        isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Subscript)
        for loop in ast.walk(function)
        if isinstance(loop, ast.For)
        for each in ast.walk(loop)
    )


def has_open_width(call: ast.Call) -> bool:
    """Whether a call makes an axis that is as long as the data need, or a number that such an axis may have."""
    keywords = {keyword.arg for keyword in call.keywords}
    match called_name(call):
        case "one_hot":
            return len(call.args) < 2 and "num_classes" not in keywords
        case "bincount":
            return len(call.args) < 3 and "minlength" not in keywords
        case name:
            return name in ("unique", "set", "unique_consecutive", "Counter")


def counts_to_the_largest(function: ast.FunctionDef) -> bool:
    """Whether there is a maximum and one more than something, `tokens.max() + 1`: as many as the data need."""
    nodes = list(ast.walk(function))
    one_more = (
        isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add) and any(is_one(each) for each in (n.left, n.right))
        for n in nodes
    )
    return any(called_name(n) in ("max", "amax") for n in nodes) and any(one_more)


def is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 1


def axes_in(node: ast.AST) -> list[ast.AST]:
    """Which parts of a call, or of `x.shape[2]`, say axes and not sizes."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=axis):
            return [axis]
        case ast.Call():
            found: list[ast.AST] = [each for each in node.keywords if each.arg in AXIS_KEYWORDS]
            name, arguments = called_name(node), list(node.args)
            if name in OF_AXES:
                return found + [each for each in arguments if isinstance(each, WRITTEN)]
            if name in AXIS_FIRST:
                return found + [each for each in arguments[:2] if isinstance(each, (ast.Constant, ast.UnaryOp))][:1]
            return found + (arguments[1:][-1:] if name in AXIS_LAST else [])
    return []


def may_be_a_size(value: object) -> TypeGuard[float]:
    """Whether it is a whole number larger than 1, or the root of one."""
    if type(value) is float and 1 < value < MAX_ROOT:
        return not value.is_integer() and math.isclose(value**2, round(value**2), rel_tol=1e-6)
    return type(value) is int and value > 1


def whole_numbers(statement: ast.stmt) -> Iterator[tuple[float, int, str]]:
    """(value, line, code around it) of numbers that may be sizes, or their roots, and are neither exponents nor axes.

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
        no_sizes = axes_in(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            no_sizes = [node.right]
        elif isinstance(node, ast.BinOp):
            no_sizes = [each for each in (node.left, node.right) if isinstance(each, ast.Constant) and each.value == 2]
        waiting += [
            (child, around) for child in ast.iter_child_nodes(node) if not any(child is each for each in no_sizes)
        ]
