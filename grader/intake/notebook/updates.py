"""Whether a loop updates a network's parameters: then it is a loop of training."""

from __future__ import annotations

import ast
from collections.abc import Collection

from grader.intake.notebook.claims import bare
from grader.source.syntax import all_nodes, base_name, stored_names

CHANGING_METHODS = frozenset({"add_", "sub_", "subtract_"})


def updates_any(statement: ast.stmt, parameters: Collection[str]) -> bool:
    """Whether it updates one of the parameters, or, as a loop, what it goes over: `for p, g in ...: p.data -= ...`."""
    nodes = [*all_nodes(statement)]
    looped = {name for each in nodes if isinstance(each, ast.For) for name in stored_names(each.target)}
    changed = {updated(each) for each in nodes if isinstance(each, ast.stmt)}
    return not changed.isdisjoint(looped.union(parameters))


def updated(node: ast.stmt) -> str | None:
    """The variable that `C -= ...`, `C.data += ...`, `C = C - ...` or `C.data.sub_(...)` updates."""
    match node:
        case ast.AugAssign(target=target, op=ast.Add() | ast.Sub()):
            pass
        case ast.Assign(targets=[ast.Name(name)], value=ast.BinOp(left=target, op=ast.Add() | ast.Sub())):
            if base_name(bare(target)) != name:
                return None
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=method))) if method in CHANGING_METHODS:
            pass
        case _:
            return None
    changed = bare(target)
    return changed.id if isinstance(changed, ast.Name) else None
