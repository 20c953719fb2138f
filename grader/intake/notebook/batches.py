"""A minibatch without a name of its own, `Xtr[ix]` with `ix = torch.randint(...)`: here it gets one.

The forward pass then shows which value of the lesson it is, as with any variable.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Sequence

from grader.source.syntax import all_nodes, last_name, nested_statements, stored_names

DRAWS = frozenset({"randint", "randperm", "choice", "multinomial"})
Minibatch = tuple[str, str]
"""(data, index) of `data[index]`."""


def with_named_batches(bodies: Sequence[list[ast.stmt]]) -> tuple[list[list[ast.stmt]], dict[str, str]]:
    """The statements of each cell, and {new name: the code that it is written for}."""
    statements = [each for body in bodies for each in nested_statements(body)]
    drawn = Counter(name for each in statements for name in drawn_by(each))
    if not drawn:
        return [*bodies], {}
    stored = Counter(name for each in statements for name in assigned_by(each))
    indices = {name for name, count in drawn.items() if stored[name] == count}
    nodes = [node for body in bodies for each in body for node in all_nodes(each)]
    named = {batch for each in statements if isinstance(each, ast.Assign) for batch in batches_of(each.value)}
    batches = {batch for node in nodes if (batch := batch_in(node)) and batch[1] in indices} - named
    names = {batch: "_".join(batch) for batch in sorted(batches)}
    names = {batch: name for batch, name in names.items() if name not in stored}
    if not names:
        return [*bodies], {}
    namer = Namer(names)
    changed = [[new for each in body for new in namer.statements(copy.deepcopy(each))] for body in bodies]
    return changed, {name: f"{data}[{index}]" for (data, index), name in names.items()}


def assigned_by(node: ast.stmt) -> set[str]:
    """The names that it assigns itself, without the statements in it."""
    if isinstance(node, ast.For):
        return stored_names(node.target)
    return stored_names(node) if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) else set()


def drawn_by(node: ast.stmt) -> list[str]:
    """The variable of `ix = torch.randint(...)`."""
    match node:
        case ast.Assign(targets=[ast.Name(name)], value=ast.Call(func=function)) if last_name(function) in DRAWS:
            return [name]
    return []


def batch_in(node: ast.AST) -> Minibatch | None:
    match node:
        case ast.Subscript(value=ast.Name(data), slice=ast.Name(index), ctx=ast.Load()):
            return data, index
    return None


def batches_of(value: ast.expr) -> list[Minibatch]:
    """What an assignment gives a name: `Xb, Yb = Xtr[ix], Ytr[ix]`."""
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return [batch for each in parts if (batch := batch_in(each))]


class Namer(ast.NodeTransformer):
    def __init__(self, names: dict[Minibatch, str]) -> None:
        self._names = names

    def statements(self, node: ast.stmt) -> list[ast.stmt]:
        new = self.visit(node)
        return new if isinstance(new, list) else [new]

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        batch = batch_in(node)
        name = self._names.get(batch) if batch else None
        return ast.copy_location(ast.Name(name, ast.Load()), node) if name else node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | list[ast.Assign]:
        self.generic_visit(node)
        found = [node]
        for data, index in (batch for batch in self._names if [batch[1]] == drawn_by(node)):
            value = ast.Subscript(ast.Name(data, ast.Load()), ast.Name(index, ast.Load()), ast.Load())
            new = ast.Assign([ast.Name(self._names[data, index], ast.Store())], value)
            found.append(ast.fix_missing_locations(ast.copy_location(new, node)))
        return found
