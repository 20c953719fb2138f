"""Which statements of a function that returns all gradients a wrong gradient depends on, and no right one."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence

from grader.source.assignment_lines import assigned_variable, returned_parts
from grader.source.own_calls import assigned_pairs, names_read_in
from grader.source.syntax import inner_statements, nested_statements

Behind = dict[str, frozenset[int]]
"""{variable: the ids of the statements that it is computed by}"""


def suspects(
    step: ast.FunctionDef, returned: Sequence[str], right: Collection[str], first_wrong: str | None = None
) -> frozenset[int]:
    """The ids of the nodes in those statements; empty where the text does not show how the gradients are returned.

    `returned` are the names of all gradients in order, `right` those that are right, and variables that are. Where
    `first_wrong` is a variable, only what it is computed by is suspected.
    """
    behind = statements_behind(step, returned)
    if not all(behind.get(name) for name in returned):
        return frozenset()
    wrong = frozenset[int]().union(*(behind[name] for name in returned if name not in right))
    wrong = behind.get(first_wrong or "", wrong)
    settled = frozenset[int]().union(*(behind.get(name, frozenset()) for name in right))
    of_statement = {id(node): id(each) for each in nested_statements(step.body) for node in ast.walk(each)}
    return frozenset(node for node, statement in of_statement.items() if statement in wrong - settled)


def forward_nodes(step: ast.FunctionDef, forward: Collection[str]) -> frozenset[int]:
    """The ids of the nodes in assignments that compute the forward values of these names.

    Most students were given these lines. To change one may make a gradient right by chance, but it is not the slip.
    """
    behind = statements_behind(step, ())
    given = frozenset[int]().union(*(behind.get(name, frozenset()) for name in forward))
    assignments = (each for each in nested_statements(step.body) if isinstance(each, ast.Assign) and id(each) in given)
    return frozenset(id(node) for each in assignments for node in ast.walk(each))


def suspected_helpers(
    step: ast.FunctionDef, helpers: Sequence[ast.FunctionDef], nodes: Collection[int]
) -> frozenset[str]:
    """The names of the functions that the suspected nodes call, themselves or through others."""
    reads = {helper.name: names_read_in(helper) for helper in helpers}
    found: set[str] = set()
    waiting = {each.id for each in ast.walk(step) if isinstance(each, ast.Name) and id(each) in nodes}
    while waiting:
        new = waiting & reads.keys() - found
        found |= new
        waiting = set[str]().union(*(reads[name] for name in new))
    return frozenset(found)


def statements_behind(step: ast.FunctionDef, returned: Sequence[str]) -> Behind:
    """For each variable, and for each gradient that is returned. Variables are followed in the order of the text.

    A loop is followed twice: what one round assigns, the next one reads.
    """
    behind: Behind = {}
    follow(step.body, behind, returned)
    return behind


def follow(statements: Iterable[ast.stmt], behind: Behind, returned: Sequence[str]) -> None:
    for statement in statements:
        if isinstance(statement, ast.Return):
            parts = returned_parts(statement.value, returned)
            behind |= {name: behind_reads(value, behind) for name, value in parts.items()}
            continue
        for target, value in assigned_pairs(statement):
            found = behind_reads(value, behind) | {id(statement)}
            for each in ast.walk(target):
                if name := assigned_variable(each):
                    is_replaced = isinstance(each, ast.Name) and not isinstance(statement, ast.AugAssign | ast.For)
                    behind[name] = found | (frozenset() if is_replaced else behind.get(name, frozenset()))
        for _ in range(2 if isinstance(statement, ast.For | ast.While) else 1):
            follow(inner_statements(statement), behind, returned)


def behind_reads(node: ast.AST, behind: Mapping[str, frozenset[int]]) -> frozenset[int]:
    return frozenset[int]().union(*(behind.get(name, frozenset()) for name in names_read_in(node)))


def helpers_on_the_way(helpers: Sequence[ast.FunctionDef], changed: str) -> list[ast.FunctionDef]:
    """The helper `changed`, and those that call it, themselves or through others; the file has the rest of them."""
    reads = {helper.name: names_read_in(helper) for helper in helpers}
    found = {changed}
    while more := {name for name, read in reads.items() if read & found} - found:
        found |= more
    return [helper for helper in helpers if helper.name in found]
