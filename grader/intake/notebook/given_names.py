"""Assignments to a gradient that the step is given: in `dx, dy = ...` one of the two may be its upstream gradient."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import replace

from grader.intake.notebook.script import Statement
from grader.intake.notebook.slices import Slice
from grader.lesson.notebook_table import StepInputs


def kept_apart(part: Slice, given: StepInputs, taken: Collection[str]) -> tuple[list[Statement], dict[str, str]]:
    """The statements in which gradients that are parameters keep the given values, and {a new name: the student's}.

    A statement of the slice may assign such a gradient next to the step's own. What the student computes for it is
    judged in the gradient's own step; here it gets a name that nothing reads. `taken` are names that are not new.
    """
    gradients = given.gradients.intersection(part.parameters)
    names = {*gradients, *(name for name in part.same if given.others.get(name) in gradients)}
    new: dict[str, str] = {}
    for statement in part.statements:
        if isinstance(statement.node, ast.Assign):
            for name in sorted(names & statement.names.binds):
                new[name] = f"{name}_here"
                while new[name] in taken:
                    new[name] += "_"
    if not new:
        return part.statements, {}
    statements = [
        replace(statement, node=with_new_targets(statement.node, new))
        if isinstance(statement.node, ast.Assign) and not statement.names.binds.isdisjoint(new)
        else statement
        for statement in part.statements
    ]
    return statements, {renamed: name for name, renamed in new.items()}


def with_new_targets(node: ast.Assign, new: dict[str, str]) -> ast.Assign:
    """The assignment to other names, with the same value."""

    def renamed(target: ast.expr) -> ast.expr:
        match target:
            case ast.Name(id=name) if name in new:
                other: ast.expr = ast.Name(new[name], ast.Store())
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                other = type(target)([renamed(part) for part in parts], ast.Store())
            case ast.Starred(value=value):
                other = ast.Starred(renamed(value), ast.Store())
            case _:
                return target
        return ast.copy_location(other, target)

    return ast.copy_location(ast.Assign([renamed(target) for target in node.targets], node.value), node)
