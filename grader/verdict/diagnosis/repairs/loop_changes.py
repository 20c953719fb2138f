"""Changes of loops: a `return` or a `break` inside of one, and a range that leaves out a place at one of its ends."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from grader.verdict.diagnosis.repairs.arithmetic_changes import ArithmeticChange
from grader.verdict.diagnosis.repairs.source_file import called_name, quote


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
        yield from overwritten_totals(node)
    if called_name(node) == "range" and isinstance(node, ast.Call):
        match node.args:
            case [ast.Constant(value=1), stop]:
                yield "range_start", quote(node), f"range({quote(stop)})", ast.Call(node.func, [stop], [])
            case [*first, ast.BinOp(left=stop, op=ast.Sub(), right=ast.Constant(value=1))]:
                whole = ast.Call(node.func, [*first, stop], [])
                yield "range_end", quote(node), quote(whole), whole


def overwritten_totals(loop: ast.For) -> Iterator[ArithmeticChange]:
    """`total += g` for `total = g`, of which only the last round is left."""
    for index, each in enumerate(loop.body):
        match each:
            case ast.Assign(targets=[ast.Name(id=name)]):
                read = (n for other in loop.body for n in ast.walk(other) if isinstance(n, ast.Name) and n.id == name)
                if any(isinstance(n.ctx, ast.Load) for n in read):
                    continue
                added = ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), each.value)
                after = copy.copy(loop)
                after.body = [*loop.body[:index], ast.copy_location(added, each), *loop.body[index + 1 :]]
                yield "total_overwritten", quote(each), name, after


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
