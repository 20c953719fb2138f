"""On which line of a student's file an argument is changed in place. The file is read, never run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from grader.source.aliases import VIEW_ATTRIBUTES, SharedNames, changes_numbers
from grader.source.parsing import parse_submitted
from grader.source.syntax import nested_statements

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
    aliases, shared = set(changed), SharedNames(VIEW_ATTRIBUTES)
    for statement in nested_statements(function.body):
        line = line_of_write(statement, aliases, shared)
        if line is not None:
            return line
        update_aliases(statement, aliases, shared)
    return None


def line_of_write(statement: ast.stmt, aliases: Collection[str], shared: SharedNames) -> int | None:
    """The line on which a statement itself (not the blocks in it) writes into one of the aliases."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = [target for target in statement.targets if isinstance(target, (ast.Subscript, ast.Attribute))]
    if any(shared.name_of(target) in aliases for target in targets):
        return statement.lineno
    expressions = (child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr))
    for node in (node for expression in expressions for node in ast.walk(expression)):
        if isinstance(node, ast.Call):
            changed = [word.value for word in node.keywords if word.arg == "out"]
            if isinstance(node.func, ast.Attribute) and changes_numbers(node.func.attr):
                changed += [node.func.value, *node.args[:1]]  # x.relu_(), torch.relu_(x)
            if any(shared.name_of(each) in aliases for each in changed):
                return node.lineno
    return None


def update_aliases(statement: ast.stmt, aliases: set[str], shared: SharedNames) -> None:
    """Adds the names that a statement makes aliases, and removes those to which it assigns something else."""
    pairs: list[tuple[ast.expr, ast.expr | None]] = []
    if isinstance(statement, ast.AnnAssign):
        pairs = [(statement.target, statement.value)]
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                pairs += list(zip(target.elts, statement.value.elts, strict=False))
            else:
                pairs.append((target, statement.value))
    for target, value in pairs:
        if isinstance(target, ast.Name):
            if shared.name_of(value) in aliases:
                aliases.add(target.id)
            else:
                aliases.discard(target.id)
