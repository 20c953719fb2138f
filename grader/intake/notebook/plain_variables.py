"""A notebook's statements with plain variables where it has attributes and entries: `self.dW1`, `grads["W1"]`.

A partial evaluation: methods and functions that deal with objects, or that assign several gradients, are written out in
the place of their calls, loops over lists of layers round by round. What the text does not decide stays as it is. Each
part of an object gets a name from which the lesson's gradients are recognised as in any notebook.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.intake.notebook.object_statements import StatementReader
from grader.intake.notebook.object_values import NotPlain, remade
from grader.intake.notebook.part_names import PartNames, is_plain_copy
from grader.intake.notebook.tensor_parts import without_tensor_parts
from grader.source.syntax import Block, all_nodes


@dataclass
class PlainNotebook:
    """Attributes:
    bodies: the statements of each cell.
    files: {id of a statement: the file that it comes from}, of those from other cells.
    shown: {variable: the code that it is written for}.
    gradients: variables that are gradients by their place.
    opened: functions that are written out in the place of their calls.
    """

    bodies: list[list[ast.stmt]] = field(default_factory=list)
    files: dict[int, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    gradients: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)


def plain_notebook(
    bodies: Iterable[tuple[str, Sequence[ast.stmt]]], known: Collection[str], gradients: Collection[str] = ()
) -> PlainNotebook | None:
    """None where the notebook has neither objects nor functions that assign gradients, or has too many statements.

    `known` are the lecture's names, `gradients` those that may be names of gradients.
    """
    bodies, shown = without_tensor_parts(list(bodies))
    reader = StatementReader(bodies, gradients)
    if not shown and not any(reader.may_have_objects(node) for _, body in bodies for node in body):
        return None
    try:
        read = reader.read()
    except NotPlain:
        return None
    names = PartNames(reader, [each for body in read for each in body], known)
    own = {names.final[name] for name, path in names.paths.items() if names.is_gradient(path)}
    result = PlainNotebook(shown=shown | names.shown, gradients=own, opened={*reader.functions.values()})
    rename = WithoutCopies(names.final)
    for body in read:
        result.bodies.append([])
        for file, node in body:
            new = rename.visit(copy.deepcopy(node))
            if new is not None:
                ast.fix_missing_locations(new)
                result.bodies[-1].append(new)
                result.files |= {id(each): file for each in all_nodes(new) if isinstance(each, ast.stmt)}
    return result


class WithoutCopies(ast.NodeTransformer):
    """Gives names other ones, and removes `a = a`."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return remade(node, id=self._names.get(node.id, node.id))

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        self.generic_visit(node)
        return None if is_plain_copy(node) and ast.unparse(node.targets[0]) == ast.unparse(node.value) else node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, Block) and getattr(node, "body", None) == []:
            node.body = [ast.copy_location(ast.Pass(), node)]  # type: ignore[union-attr]
        return node
