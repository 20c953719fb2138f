"""Changes of a function that goes forward and back: it returns a gradient on the way, or has a forward line anew."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from grader.source.syntax import names_in
from grader.verdict.diagnosis.repairs.source_file import ChildPlace, assigned_names, parameter_names

FORWARD_LINE = "forward_line"
"""The kind of an edit that puts the lesson's line of the forward pass in the place of the student's."""
READABLE_EVERYWHERE = frozenset({"torch", "F", "math", "range", "len"})

ChangeInPlace = tuple[int, str, str, str, ChildPlace, ast.AST]
"""(line, code, part, new words, the place of a node, the new node)"""


def inner_gradients(
    function: ast.FunctionDef, inner: Iterable[str], returned: Sequence[str]
) -> Iterator[ChangeInPlace]:
    """The function with an `inner` gradient that it computes on the way in the place of each that it returns."""
    last = function.body[-1]
    if isinstance(last, ast.Return):
        for name in (name for name in inner if name in assigned_names(function)):
            keys: list[ast.expr | None] = [ast.Constant(each) for each in returned]
            instead = ast.Return(ast.Dict(keys, [ast.Name(name, ast.Load()) for _ in keys]))
            place = (function, "body", len(function.body) - 1)
            stored = (n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            line = max(n.lineno for n in stored if n.id == name)
            yield line, name, name, name, place, instead


def lines_of_the_lesson(function: ast.FunctionDef, forward: Mapping[str, str]) -> Iterator[ChangeInPlace]:
    """The function with a line of the lesson's forward pass for each other line that computes the same value."""
    known = {*parameter_names(function), *assigned_names(function), *READABLE_EVERYWHERE}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(name)]) if name in forward:
                new = ast.parse(forward[name], mode="eval").body
                if is_readable(new, name, known) and ast.dump(new) != ast.dump(node.value):
                    code = ast.unparse(node)
                    yield node.lineno, code, name, f"{name} = {forward[name]}", (node, "value", None), new


def is_readable(value: ast.expr, name: str, known: Collection[str]) -> bool:
    return names_in(value) <= {*known} - {name}


def expressions_of(lines: Mapping[str, str]) -> dict[str, str]:
    """{value: the expression in its line of a forward pass}, of lines such as `t.h = torch.tanh(t.hpreact)`."""
    found: dict[str, str] = {}
    for name, line in lines.items():
        try:
            (node,) = ast.parse(line.strip()).body
        except (SyntaxError, ValueError):
            continue
        match node:
            case ast.Assign(targets=[ast.Attribute(ast.Name(tape), attr)]) if attr == name:
                found[name] = ast.unparse(WithoutTape(tape).visit(node.value))
    return found


class WithoutTape(ast.NodeTransformer):
    def __init__(self, tape: str) -> None:
        self._tape = tape

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        is_named = isinstance(node.value, ast.Name) and node.value.id == self._tape
        return ast.Name(node.attr, ast.Load()) if is_named else node
