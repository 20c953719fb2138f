"""The lines of functions that a lesson checks as a whole, with copies that note what each line reads while it runs.

Only text is read: nothing here imports torch, and `source_reader()` calls these functions.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.defence.expressions import replace_child
from grader.defence.file_lines import (
    MAX_LINE_CHARACTERS_SHOWN,
    MAX_REWRITTEN_LINES,
    FileLine,
    can_be_shown,
    functions_used,
    names_read,
)
from grader.source.parsing import parse_text
from grader.source.syntax import nested_statements

NOTE_FUNCTION = "_defence_note"
CALL = "call of "
"""Begins the number of the note that a function makes of its parameters."""


@dataclass(frozen=True)
class RecordedFunction:
    """A function of the file: its parameters, its lines, and a copy of the same name that notes what it reads.

    `repeated` are the names that it gives a value more than once: "your line for `h`" would be several lines.
    """

    name: str
    parameters: tuple[str, ...]
    lines: tuple[FileLine, ...]
    noting: str
    repeated: tuple[str, ...]


def recorded_in(source: str, wanted: Sequence[str]) -> list[RecordedFunction]:
    """The functions of these names. A text that is not Python has none."""
    found, number = [], 0
    for function in plain_definitions(source, wanted):
        places = list(places_in(function, number, source))
        number += len(places)
        if number > MAX_REWRITTEN_LINES:
            break
        arguments = function.args
        parameters = tuple(each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
        lines = tuple(line for line, *_ in places)
        stored = Counter(
            [*parameters, *(each for line in nested_statements(function.body) for each in targets_of(line))]
        )
        repeated = tuple(name for name, count in stored.items() if count > 1)
        text = noting(function, parameters, places)
        found.append(RecordedFunction(function.name, parameters, lines, text, repeated))
    return found


def with_line(source: str, function: str, name: str, old: str, new: str) -> str:
    """The function with `new` in place of its line `name = old`; "" where it has that line twice, or not at all."""
    for node in plain_definitions(source, [function]):
        found = [
            (holder, field, index)
            for line, _, holder, field, index in places_in(node, 0, source)
            if line.code == old and line.name in (name, f"{name}(...)")
        ]
        if len(found) == 1:
            replace_child(*found[0], ast.parse(new, mode="eval").body)
            return ast.unparse(ast.fix_missing_locations(node))
    return ""


def plain_definitions(source: str, wanted: Sequence[str]) -> list[ast.FunctionDef]:
    tree = parse_text(source)
    if tree is None:
        return []
    found = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in wanted}
    return [each for each in found.values() if not (each.decorator_list or each.args.vararg or each.args.kwarg)]


LinePlace = tuple[FileLine, ast.stmt, ast.AST, str, int | None]
"""A line, its statement, and where its expression is: an attribute of a node, or an entry of it."""


def places_in(function: ast.FunctionDef, number: int, source: str) -> Iterator[LinePlace]:
    """The lines of a function, also those inside loops and branches, and each part of a tuple that it returns.

    None that reads another function of the file's.
    """
    used = functions_used(function, ast.parse(source))
    arguments = function.args
    parameters = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for statement in nested_statements(function.body):
        for name, holder, field, index, expression in expressions_in(function.name, statement):
            code = ast.unparse(expression)
            read = names_read(expression, parameters | stored) if can_be_shown(expression, used) else ()
            if read and len(code) <= MAX_LINE_CHARACTERS_SHOWN and "\n" not in code:
                is_returned = isinstance(statement, ast.Return)
                is_whole = set(read) <= parameters - stored
                line = FileLine(function.name, number, name, code, read, is_returned, is_whole)
                yield line, statement, holder, field, index
                number += 1


def expressions_in(function: str, statement: ast.stmt) -> Iterator[tuple[str, ast.AST, str, int | None, ast.expr]]:
    """(what it computes, where it is, the expression): of an assignment, or of a return, part by part."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, (ast.Name, ast.Subscript)):
            yield ast.unparse(target), statement, "value", None, statement.value
        elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            for place, (name, each) in enumerate(zip(target.elts, statement.value.elts, strict=False)):
                yield ast.unparse(name), statement.value, "elts", place, each
    elif isinstance(statement, ast.Return) and isinstance(statement.value, ast.Tuple):
        for place, each in enumerate(statement.value.elts):
            yield f"{function}(...)[{place}]", statement.value, "elts", place, each
    elif isinstance(statement, ast.Return) and statement.value is not None:
        yield f"{function}(...)", statement, "value", None, statement.value


def targets_of(statement: ast.stmt) -> list[str]:
    """What an assignment or a loop gives a value, as it is written."""
    targets = list(getattr(statement, "targets", []))
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For)):
        targets = [statement.target]
    return [ast.unparse(each) for target in targets for each in getattr(target, "elts", [target])]


def noting(function: ast.FunctionDef, parameters: Sequence[str], places: Sequence[LinePlace]) -> str:
    """A copy of the function that notes its parameters, and what a line reads, before it goes on."""
    notes: dict[int, list[ast.stmt]] = {}
    for line, statement, *_ in places:
        notes.setdefault(id(statement), []).extend(note(str(line.number), line.names))

    class Noting(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
            before = notes.get(id(node), [])
            node = self.generic_visit(node)
            return [*before, node] if before and isinstance(node, ast.stmt) else node

    text = Noting().visit(function)
    assert isinstance(text, ast.FunctionDef)
    copied = copy.deepcopy(text)
    copied.body[:0] = note(CALL + function.name, parameters)
    return ast.unparse(ast.fix_missing_locations(copied))


def note(number: str, names: Sequence[str]) -> list[ast.stmt]:
    values = ", ".join(f"{name!r}: {name}" for name in names)
    return ast.parse(f"{NOTE_FUNCTION}({number!r}, {{{values}}})").body
