"""Which statements of a file give a module-level name its value, and which names a function keeps to itself.

Only as much of Python's scoping as the static check needs, from the text alone. Where it must guess, it guesses that a name is
local: then an act may go unnamed (the sandbox stops it all the same), but no honest step is blamed for a name it shares.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass
class Scope:
    """The names of a module, function or comprehension.

    Attributes:
        bound: names given a value that is not followed: parameters, loop variables, results of calculations.
        imported: name → dotted path, for ``import torch as t`` and ``from torch import autograd``.
        assigned: name → expression, for names assigned exactly once: ``g = torch.autograd.grad`` can be followed.
        star: modules of ``from … import *``.
    """

    bound: set[str] = field(default_factory=set)
    imported: dict[str, str] = field(default_factory=dict)
    assigned: dict[str, ast.expr] = field(default_factory=dict)
    star: list[str] = field(default_factory=list)

    def has(self, name: str) -> bool:
        return name in self.bound or name in self.imported or name in self.assigned

    def take_import(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            if isinstance(statement, ast.Import):
                first = alias.name.partition(".")[0]
                self.imported[alias.asname or first] = alias.name if alias.asname else first
            elif alias.name == "*":
                self.star.append(statement.module or "")
            else:
                module = "" if statement.level else f"{statement.module}."
                self.imported[alias.asname or alias.name] = f"{module}{alias.name}"

    def take_assignment(self, name: str, value: ast.expr | None) -> None:
        if value is None or name in self.assigned or name in self.bound:
            self.assigned.pop(name, None)
            self.bound.add(name)
        else:
            self.assigned[name] = value


def own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of ``body`` that belong to its own scope: nested functions, classes and comprehensions are given, not entered."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, *Comprehension.__args__)
        ):
            waiting.extend(ast.iter_child_nodes(node))


def scope_of(body: Iterable[ast.AST]) -> Scope:
    """What the statements of one module or function bind."""
    scope, simple, outer = Scope(), set[int](), set[str]()
    nodes = list(own_nodes(body))
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            scope.take_import(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            scope.bound.add(node.name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            outer.update(node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    simple.add(id(target))
                    scope.take_assignment(target.id, node.value)
        elif (isinstance(node, ast.ExceptHandler) and node.name) or (isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name):
            scope.bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            scope.bound.add(node.rest)
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in simple:
            scope.take_assignment(node.id, None)
    for name in outer:
        scope.bound.discard(name)
        scope.assigned.pop(name, None)
    return scope


def function_scope(function: Function) -> Scope:
    """Parameters and local names of a function or lambda."""
    scope = scope_of(function.body if isinstance(function.body, list) else [function.body])
    given = function.args
    for parameter in [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]:
        if parameter is not None:
            scope.take_assignment(parameter.arg, None)
    return scope


def comprehension_scope(comprehension: ast.AST) -> Scope:
    """The loop variables of a comprehension."""
    targets = (generator.target for generator in getattr(comprehension, "generators", ()))
    return Scope(bound={name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)})


# ---- what gives a module-level name its value -----------------------------------------------------------------------------


def bindings(tree: ast.Module) -> dict[str, list[ast.AST]]:
    """For each module-level name, the pieces of text that decide its value; nothing under ``if __name__ == "__main__":``.

    A later plain definition replaces earlier ones, as it does when Python runs the file.
    """
    found: dict[str, list[ast.AST]] = {}
    for statement in tree.body:
        for piece, names in _pieces(statement):
            replaces = piece is statement and isinstance(piece, (ast.FunctionDef, ast.ClassDef, ast.Assign))
            for name in names:
                if replaces and not _reads(piece, name) and name in _plain_targets(piece):
                    found[name] = []
                found.setdefault(name, []).append(piece)
    return found


def _pieces(statement: ast.stmt) -> Iterator[tuple[ast.AST, set[str]]]:
    """Simple statements within ``statement``, and headers of compound ones, each with the names it gives a value."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement, {statement.name}
        return
    if isinstance(statement, ast.If) and _is_main_guard(statement.test):
        inner: list[ast.AST] = list(statement.orelse)
    else:
        inner = list(ast.iter_child_nodes(statement))
    parts = [part for part in inner if isinstance(part, (ast.stmt, ast.ExceptHandler, ast.match_case))]
    if not parts:
        yield statement, _names_given(statement)
        return
    headers = [part for part in inner if part not in parts]
    names = {name for header in headers for name in _stored(header)}
    for header in headers:
        yield header, names
    while parts:
        part = parts.pop(0)
        if isinstance(part, ast.stmt):
            yield from _pieces(part)
        else:
            parts[:0] = [child for child in ast.iter_child_nodes(part) if isinstance(child, ast.stmt)]


def _is_main_guard(test: ast.expr) -> bool:
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return False
    sides = (test.left, test.comparators[0])
    is_name = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    return is_name and any(isinstance(side, ast.Constant) and side.value == "__main__" for side in sides)


def _names_given(statement: ast.AST) -> set[str]:
    """Names stored, and the objects changed by ``table[key] = …``, ``thing.part = …`` and ``table.update(…)``."""
    names = _stored(statement)
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        names.update(base for target in targets if (base := _base(target)))
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        names.update({base} if (base := _base(statement.value.func)) else ())
    return names


def _base(expression: ast.expr) -> str | None:
    while isinstance(expression, (ast.Attribute, ast.Subscript)):
        expression = expression.value
    return expression.id if isinstance(expression, ast.Name) else None


def _stored(node: ast.AST) -> set[str]:
    return {name.id for name in own_nodes([node]) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}


def _plain_targets(piece: ast.AST) -> set[str]:
    if isinstance(piece, ast.Assign):
        return {target.id for target in piece.targets if isinstance(target, ast.Name)}
    return {piece.name} if isinstance(piece, (ast.FunctionDef, ast.ClassDef)) else set()


def _reads(piece: ast.AST, name: str) -> bool:
    """Whether the new value is made from the old one, as in ``step = decorated(step)``."""
    parts = [piece.value] if isinstance(piece, ast.Assign) else getattr(piece, "decorator_list", [])
    return any(isinstance(node, ast.Name) and node.id == name for part in parts for node in ast.walk(part))
