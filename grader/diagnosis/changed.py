"""On which line of a student's file an argument is changed in place. The file is read, never run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from functools import lru_cache

VIEWS = {"T", "mT", "data", "detach", "view", "view_as", "reshape", "squeeze", "unsqueeze", "flatten", "ravel", "t"}
VIEWS |= {"transpose", "permute", "expand", "expand_as", "swapaxes", "movedim", "narrow", "select", "diagonal"}
"""Methods and attributes whose result shares the memory of what they are called on."""


def line_of_change(source: str, function: str, changed: Collection[str]) -> int | None:
    """The first line of `function` that writes into one of its parameters `changed`, or into another name for it.

    None when no such line is found: the writing may be done by a function that is called.
    """
    definition = definitions(source).get(function)
    if definition is None:
        return None
    aliases = set(changed)
    for statement in in_order(definition.body):
        line = written_by(statement, aliases)
        if line is not None:
            return line
        follow(statement, aliases)
    return None


@lru_cache(maxsize=1)
def definitions(source: str) -> dict[str, ast.FunctionDef]:
    """{name: the last function of that name} of a file; empty where it cannot be read.

    Kept, because every row of a submission asks for the same file: reading a long one takes seconds.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def in_order(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body and of all blocks in it, as they stand in the file."""
    for statement in body:
        yield statement
        for block in ("body", "orelse", "finalbody"):
            inner = getattr(statement, block, None)
            if isinstance(inner, list) and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                yield from in_order([entry for entry in inner if isinstance(entry, ast.stmt)])


def root(expression: ast.expr | None) -> str | None:
    """The name whose memory an expression shares: `a` for a, a.T, a[0], a.view(...); None where it makes its own."""
    while True:
        if isinstance(expression, ast.Name):
            return expression.id
        if isinstance(expression, ast.Subscript) or (
            isinstance(expression, ast.Attribute) and expression.attr in VIEWS
        ):
            expression = expression.value
        elif isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
            if expression.func.attr not in VIEWS and not in_place(expression.func.attr):
                return None
            expression = expression.func.value
        else:
            return None


def in_place(method: str) -> bool:
    return method.endswith("_") and not method.startswith("_") and method not in ("requires_grad_", "retain_grad_")


def written_by(statement: ast.stmt, aliases: set[str]) -> int | None:
    """The line on which a statement itself (not the blocks in it) writes into an alias."""
    if isinstance(statement, ast.AugAssign) and root(statement.target) in aliases:
        return statement.lineno
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, (ast.Subscript, ast.Attribute)) and root(target) in aliases:
                return statement.lineno
    for node in own_expressions(statement):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and in_place(node.func.attr) and root(node.func.value) in aliases:
                return node.lineno
            first = node.args[0] if node.args else None
            if isinstance(node.func, ast.Attribute) and in_place(node.func.attr) and root(first) in aliases:
                return node.lineno  # torch.relu_(x)
            if any(keyword.arg == "out" and root(keyword.value) in aliases for keyword in node.keywords):
                return node.lineno
    return None


def own_expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield from ast.walk(child)


def follow(statement: ast.stmt, aliases: set[str]) -> None:
    """Another name for an alias is one, too; a name that is set to something else no longer is."""
    pairs: list[tuple[ast.expr, ast.expr | None]] = []
    if isinstance(statement, ast.AnnAssign):
        pairs = [(statement.target, statement.value)]
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                pairs += list(zip(target.elts, statement.value.elts, strict=False))
            else:
                pairs.append((target, statement.value))
    else:
        return
    for target, value in pairs:
        if isinstance(target, ast.Name):
            if root(value) in aliases:
                aliases.add(target.id)
            else:
                aliases.discard(target.id)
