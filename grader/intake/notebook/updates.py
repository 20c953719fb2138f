"""What a notebook's updates say: `C -= lr * g_C` in a training loop names the gradient of the parameter `C`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from grader.intake.notebook.claims import LIBRARY_PREFIXES, MAX_CLAIMS, bare
from grader.intake.notebook.gradient_claim import GradientClaim
from grader.source.similar_names import MAX_COMPARED_NAME
from grader.source.syntax import DefinitionNode, all_nodes, children, stored_names

FEWEST_UPDATES = 3
"""Parameters that are updated in a training loop; then a name that belongs to one of them is no learning rate."""
CHANGING_METHODS = frozenset({"add_", "sub_", "subtract_"})


class Update(NamedTuple):
    """A statement that changes `parameter` by what is computed from `names`."""

    parameter: str
    names: frozenset[str]
    code: ast.stmt
    file: str


def update_claims(bodies: Iterable[tuple[str, Sequence[ast.stmt]]]) -> list[GradientClaim]:
    """A claim for each update that reads one variable which no other parameter's update reads."""
    found = [update for file, body in bodies for update in updates_in(file, body)][:MAX_CLAIMS]
    read_for: dict[str, set[str]] = {}
    for update in found:
        for name in update.names:
            read_for.setdefault(name, set()).add(update.parameter)
    if len({update.parameter for update in found}) < FEWEST_UPDATES:
        return []
    claims: dict[tuple[str, str], GradientClaim] = {}
    for update in found:
        own = [name for name in update.names if len(read_for[name]) == 1]
        if len(own) == 1 and max(len(own[0]), len(update.parameter)) <= MAX_COMPARED_NAME:
            claim = GradientClaim(
                own[0], None, update.parameter, update.code, update.file, update.code.lineno, is_update=True
            )
            claims.setdefault((own[0], update.parameter), claim)
    return list(claims.values())


def updates_in(file: str, body: Sequence[ast.stmt]) -> list[Update]:
    """The updates inside of loops, outside of functions."""
    found: list[Update] = []
    waiting: list[tuple[ast.AST, bool]] = [(node, False) for node in reversed(body)]
    while waiting:
        node, in_loop = waiting.pop()
        if isinstance(node, DefinitionNode | ast.expr):
            continue
        in_loop = in_loop or isinstance(node, ast.For | ast.While)
        if in_loop and isinstance(node, ast.stmt) and (change := change_of(node)) is not None:
            parameter, parts = change
            names = {each.id for part in parts for each in all_nodes(part) if isinstance(each, ast.Name)}
            found.append(Update(parameter, frozenset(names - {parameter, *LIBRARY_PREFIXES}), node, file))
        waiting += [(part, in_loop) for part in reversed(children(node))]
    return found


def change_of(node: ast.stmt) -> tuple[str, Sequence[ast.expr]] | None:
    """(variable, expressions) of `C -= ...`, `C.data += ...`, `C = C - ...` and `C.data.sub_(...)`."""
    match node:
        case ast.AugAssign(target=target, op=ast.Add() | ast.Sub(), value=value):
            parts = [value]
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=value)):
            if ast.dump(bare(as_source(target))) != ast.dump(bare(left)):
                return None
            parts = [value]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=method)) as call):
            if method not in CHANGING_METHODS:
                return None
            parts = [*call.args, *(word.value for word in call.keywords)]
        case _:
            return None
    changed = bare(as_source(target))
    return (changed.id, parts) if isinstance(changed, ast.Name) else None


def updates_any(statement: ast.stmt, parameters: Collection[str]) -> bool:
    """Whether it updates one of the parameters, or, as a loop, what it goes over: `for p, g in ...: p.data -= ...`."""
    nodes = [*all_nodes(statement)]
    looped = {name for each in nodes if isinstance(each, ast.For) for name in stored_names(each.target)}
    changes = (change_of(each) for each in nodes if isinstance(each, ast.stmt))
    return any(change[0] in looped or change[0] in parameters for change in changes if change)


def as_source(target: ast.expr) -> ast.expr:
    """The target's variable as an expression that reads it."""
    inner = bare(target)
    return ast.Name(inner.id, ast.Load()) if isinstance(inner, ast.Name) else target
