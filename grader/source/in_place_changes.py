"""On which line of a student's file an argument is changed in place. The file is read, never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterator, Sequence

VIEWS = {"T", "mT", "data", "detach", "view", "view_as", "reshape", "squeeze", "unsqueeze", "flatten", "ravel", "t"}
VIEWS |= {"transpose", "permute", "expand", "expand_as", "swapaxes", "movedim", "narrow", "select", "diagonal"}
"""Methods and attributes whose result shares the memory of what they are called on."""


MOST_CHARACTERS = 300_000
"""Of a longer file nothing is said: a lesson's file has a few thousand."""

Change = tuple[str, Collection[str]]
"""(function, its parameters that were changed in place)"""


def line_of_change(source: str, function: str, changed: Collection[str]) -> int | None:
    """The first line of `function` that writes into one of its parameters `changed`, or into another name for it.

    None when no such line is found: the writing may be done by a function that is called.
    """
    return lines_of_changes(source, [(function, changed)])[0]


def lines_of_changes(source: str, changes: Sequence[Change]) -> list[int | None]:
    """`line_of_change` for each of them. The file is parsed once."""
    nothing: list[int | None] = [None] * len(changes)
    if len(source) > MOST_CHARACTERS:
        return nothing
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return nothing
    definitions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}  # the last one of a name
    found: dict[tuple[str, frozenset[str]], int | None] = {}
    result: list[int | None] = []
    for function, changed in changes:
        key = function, frozenset(changed)
        if key not in found:
            found[key] = first_line(definitions[function], changed) if function in definitions else None
        result.append(found[key])
    return result


def first_line(function: ast.FunctionDef, changed: Collection[str]) -> int | None:
    aliases, roots = set(changed), Roots()
    for statement in in_order(function.body):
        line = written_by(statement, aliases, roots)
        if line is not None:
            return line
        follow(statement, aliases, roots)
    return None


def in_order(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body and of all blocks in it, as they stand in the file."""
    waiting = [*reversed(body)]
    while waiting:
        statement = waiting.pop()
        yield statement
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            continue
        for block in ("finalbody", "orelse", "body"):
            inner = getattr(statement, block, None)
            if isinstance(inner, list):
                waiting += [entry for entry in reversed(inner) if isinstance(entry, ast.stmt)]


class Roots:
    """The name whose memory an expression shares: `a` for a, a.T, a[0], a.view(...); None where it makes its own.

    Each link of a chain is followed once, however often and from wherever the chain is looked at.
    """

    def __init__(self) -> None:
        self._known: dict[ast.expr, str | None] = {}

    def of(self, expression: ast.expr | None) -> str | None:
        found: str | None = None
        links: list[ast.expr] = []
        while expression is not None:
            if isinstance(expression, ast.Name):
                found = expression.id
                break
            if expression in self._known:
                found = self._known[expression]
                break
            links.append(expression)
            expression = shared(expression)
        self._known.update(dict.fromkeys(links, found))
        return found


def shared(expression: ast.expr) -> ast.expr | None:
    """The object whose memory the expression shares."""
    if isinstance(expression, ast.Subscript) or (isinstance(expression, ast.Attribute) and expression.attr in VIEWS):
        return expression.value
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        called = expression.func
        return called.value if called.attr in VIEWS or in_place(called.attr) else None
    return None


def in_place(method: str) -> bool:
    return method.endswith("_") and not method.startswith("_") and method not in ("requires_grad_", "retain_grad_")


def written_by(statement: ast.stmt, aliases: set[str], roots: Roots) -> int | None:
    """The line on which a statement itself (not the blocks in it) writes into an alias."""
    if isinstance(statement, ast.AugAssign) and roots.of(statement.target) in aliases:
        return statement.lineno
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, (ast.Subscript, ast.Attribute)) and roots.of(target) in aliases:
                return statement.lineno
    for node in own_expressions(statement):
        if isinstance(node, ast.Call):
            if (
                isinstance(node.func, ast.Attribute)
                and in_place(node.func.attr)
                and roots.of(node.func.value) in aliases
            ):
                return node.lineno
            first = node.args[0] if node.args else None
            if isinstance(node.func, ast.Attribute) and in_place(node.func.attr) and roots.of(first) in aliases:
                return node.lineno  # torch.relu_(x)
            if any(keyword.arg == "out" and roots.of(keyword.value) in aliases for keyword in node.keywords):
                return node.lineno
    return None


def own_expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield from ast.walk(child)


def follow(statement: ast.stmt, aliases: set[str], roots: Roots) -> None:
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
            if roots.of(value) in aliases:
                aliases.add(target.id)
            else:
                aliases.discard(target.id)
