"""On which line of a student's file an argument is changed in place. The file is read, never run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from grader.source.parsing import parse_submitted
from grader.source.statement_names import names_of_statement
from grader.source.syntax import inner_statements, nested_statements

ChangedName = tuple[str, Collection[str]]
"""(function, its parameters that were changed in place)"""


def lines_of_changes(source: str, changes: Sequence[ChangedName]) -> list[int | None]:
    """For each change the first line of the function that writes into one of the parameters, or into an alias of one.

    None where no such line is found: a function that is called may change the parameter, or the text cannot be parsed.
    """
    tree = parse_submitted(source)
    nodes = ast.walk(tree) if tree is not None else ()
    definitions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}  # the last one of a name
    found: dict[tuple[str, frozenset[str]], int | None] = {}
    result: list[int | None] = []
    for function, changed in changes:
        key = function, frozenset(changed)
        if key not in found:
            found[key] = line_of_first_change(definitions[function], changed) if function in definitions else None
        result.append(found[key])
    return result


def line_of_first_change(function: ast.FunctionDef, changed: Collection[str]) -> int | None:
    aliases = set(changed)
    for statement in nested_statements(function.body):
        if inner_statements(statement):
            continue
        try:
            names = names_of_statement(statement, {})
        except RecursionError:  # it is nested too deeply
            return None
        if not aliases.isdisjoint(names.changes):
            return statement.lineno
        aliases = aliases - names.binds | {new for new, old in names.shares if old in aliases}
    return None
