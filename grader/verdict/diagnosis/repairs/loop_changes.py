"""Changes of loops: what ends one or begins anew inside of it, a range that is too short, an index that is fixed."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from itertools import islice

from grader.source.syntax import names_in
from grader.verdict.diagnosis.repairs.arithmetic_changes import ArithmeticChange
from grader.verdict.diagnosis.repairs.source_file import called_name, quote

MAX_FIXED_INDICES = 8
"""Numbers in the indices of one loop that are changed."""


def loops(node: ast.AST) -> Iterator[ArithmeticChange]:
    """Without the `return` or the `break` that ends the loop, and with the whole range."""
    if isinstance(node, ast.For):
        after = copy.deepcopy(node)
        if (returned := remove_last_return(after)) is not None:
            after.orelse = [returned]  # nothing else leaves the loop, so this runs after its last round
            yield "return_in_loop", quote(returned), "", after
        if any(isinstance(each, ast.Break) for each in ast.walk(node)):
            for kind, other in (("break_for_continue", ast.Continue), ("break_too_many", ast.Pass)):
                yield kind, "break", other.__name__.lower(), OtherBreak(other).visit(copy.deepcopy(node))
        yield from totals_begun_again(node)
        yield from overwritten_totals(node)
        yield from fixed_indices(node)
    if called_name(node) == "range" and isinstance(node, ast.Call):
        match node.args:
            case [ast.Constant(value=1), stop]:
                yield "range_start", quote(node), f"range({quote(stop)})", ast.Call(node.func, [stop], [])
            case [*first, ast.BinOp(left=stop, op=ast.Sub(), right=ast.Constant(value=1))]:
                whole = ast.Call(node.func, [*first, stop], [])
                yield "range_end", quote(node), quote(whole), whole


def overwritten_totals(loop: ast.For) -> Iterator[ArithmeticChange]:
    """`total += g`, with `total = 0` in front of the loop, for `total = g`, of which only the last round is left."""
    for index, each in enumerate(loop.body):
        match each:
            case ast.Assign(targets=[ast.Name(id=name)]):
                read = (n for other in loop.body for n in ast.walk(other) if isinstance(n, ast.Name) and n.id == name)
                if any(isinstance(n.ctx, ast.Load) for n in read):
                    continue
                added = ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), each.value)
                after = copy.copy(loop)
                after.body = [*loop.body[:index], ast.copy_location(added, each), *loop.body[index + 1 :]]
                begun = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(0), lineno=loop.lineno)
                yield "total_overwritten", quote(each), name, ast.If(ast.Constant(True), [begun, after], [])


def totals_begun_again(loop: ast.For) -> Iterator[ArithmeticChange]:
    """The loop after `total = 0`, which stands inside of it."""
    own = names_in(loop.target)
    for index, each in enumerate(loop.body):
        match each:
            case ast.Assign(targets=[ast.Name()]) if not own & names_in(each.value):
                after = copy.copy(loop)
                after.body = [*loop.body[:index], *loop.body[index + 1 :]] or [ast.Pass()]
                yield "reset_in_loop", quote(each), "", ast.If(ast.Constant(True), [each, after], [])


def fixed_indices(loop: ast.For) -> Iterator[ArithmeticChange]:
    """A variable of the loop for a number in an index: `g[i]` for `g[0]`."""
    variables = [name for each in ast.walk(loop) if isinstance(each, ast.For) for name in sorted(names_in(each.target))]
    for number, (place, index) in enumerate(islice(numbers_in_indices(loop), MAX_FIXED_INDICES)):
        for name in dict.fromkeys(variables):
            after = copy.deepcopy(loop)
            _, other = next(islice(numbers_in_indices(after), number, None))
            replace_in(after, other, ast.Name(name, ast.Load()))
            yield "fixed_index", repr(index.value), quote(place), after


def numbers_in_indices(node: ast.AST) -> Iterator[tuple[ast.Subscript, ast.Constant]]:
    """Every whole number that an index consists of, with the place that is indexed."""
    for each in ast.walk(node):
        if isinstance(each, ast.Subscript):
            entries = each.slice.elts if isinstance(each.slice, ast.Tuple) else [each.slice]
            for entry in entries:
                if isinstance(entry, ast.Constant) and type(entry.value) is int:
                    yield each, entry


def replace_in(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if value is old:
                setattr(node, name, new)
            elif isinstance(value, list) and any(each is old for each in value):
                setattr(node, name, [new if each is old else each for each in value])


def remove_last_return(loop: ast.For) -> ast.Return | None:
    """Takes the `return` off the end of a loop's body, or of the loop that ends it; None where there is none."""
    match loop.body[-1]:
        case ast.Return() as last if not loop.orelse and not any(isinstance(n, ast.Break) for n in ast.walk(loop)):
            loop.body = loop.body[:-1] or [ast.Pass()]
            return last
        case ast.For() as inner:
            return remove_last_return(inner)
    return None


class OtherBreak(ast.NodeTransformer):
    """Puts another statement in the place of every `break`."""

    def __init__(self, other: type[ast.stmt]) -> None:
        self._other = other

    def visit_Break(self, node: ast.Break) -> ast.stmt:
        return ast.copy_location(self._other(), node)
