"""Which statements of a file give a module-level name its value, and which names a function keeps to itself.

Only as much of Python's scoping as the static check needs, from the text alone. Where it must guess, it guesses that a
name is local: then an act may go unnamed (the sandbox stops it all the same), but no honest step is blamed for a name
that it shares with something else in the file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
SCOPED = Definition | ast.Lambda | Comprehension  # made once: these are asked about at every node
Block = ast.stmt | ast.ExceptHandler | ast.match_case
LEAVES = frozenset({"ctx", "op", "ops", "id", "attr"})


@dataclass
class Scope:
    """The names of a module, function or comprehension.

    Attributes:
        bound: names whose value is not followed: parameters, loop variables, functions, anything assigned twice.
        imported: name → dotted path, for ``import torch as t`` and ``from torch import autograd``.
        assigned: name → expression, for names assigned exactly once: ``g = torch.autograd.grad`` can be followed.
        star: the modules of ``from … import *``.
    """

    bound: set[str] = field(default_factory=set)
    imported: dict[str, str] = field(default_factory=dict)
    assigned: dict[str, ast.expr] = field(default_factory=dict)
    star: dict[str, None] = field(default_factory=dict)  # in order, each once

    def has(self, name: str) -> bool:
        return name in self.bound or name in self.imported or name in self.assigned

    @property
    def names(self) -> set[str]:
        return {*self.bound, *self.imported, *self.assigned}

    def bind(self, name: str) -> None:
        self.assigned.pop(name, None)
        self.bound.add(name)

    def assign(self, name: str, value: ast.expr | None) -> None:
        if value is None or name in self.assigned or name in self.bound:
            self.bind(name)
        else:
            self.assigned[name] = value

    def take_import(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            if isinstance(statement, ast.Import):
                first = alias.name.partition(".")[0]
                self.imported[alias.asname or first] = alias.name if alias.asname else first
            elif alias.name == "*":
                self.star[statement.module or ""] = None
            else:
                module = f"{statement.module}." if statement.module else ""
                self.imported[alias.asname or alias.name] = f"{module}{alias.name}"


BRANCHES: dict[type, tuple[str, ...]] = {}  # a kind of node: its fields that may hold nodes


def children(node: ast.AST) -> list[ast.AST]:
    """As ast.iter_child_nodes, without contexts (Load, Store) and operators, and in half the time."""
    found: list[ast.AST] = []
    kind = type(node)
    if kind not in BRANCHES:
        BRANCHES[kind] = tuple(name for name in kind._fields if name not in LEAVES)
    for name in BRANCHES[kind]:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
    return found


def all_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """As ast.walk, without contexts and operators."""
    waiting = [tree]
    while waiting:
        yield (node := waiting.pop())
        waiting += children(node)


PLAIN = frozenset({ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.BinOp, ast.Subscript, ast.Expr, ast.Return})
"""Kinds of node that bind no name by themselves: most of a file."""


def own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes in the scope of ``body`` itself: nested functions, classes, comprehensions are given, not entered."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, SCOPED):
            waiting += children(node)


def scope_of(body: Iterable[ast.AST]) -> Scope:
    """What the statements of one module or function bind."""
    scope = Scope()
    followed: set[int] = set()  # targets of plain assignments
    elsewhere: set[str] = set()  # declared global or nonlocal
    nodes = list(own_nodes(body))
    for node in nodes:
        if type(node) in PLAIN:
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            scope.take_import(node)
        elif isinstance(node, Definition):
            scope.bind(node.name)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            elsewhere.update(node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    followed.add(id(target))
                    scope.assign(target.id, node.value)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            scope.bind(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            scope.bind(node.rest)
    for node in nodes:
        if type(node) is ast.Name and type(node.ctx) is not ast.Load and id(node) not in followed:
            scope.bind(node.id)
    for name in elsewhere:
        scope.bound.discard(name)
        scope.assigned.pop(name, None)
    return scope


def function_scope(function: Function) -> Scope:
    """Parameters and local names of a function or lambda."""
    scope = scope_of(function.body if isinstance(function.body, list) else [function.body])
    given = function.args
    for parameter in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if parameter is not None:
            scope.bind(parameter.arg)
    return scope


def comprehension_scope(comprehension: Comprehension) -> Scope:
    """The loop variables of a comprehension."""
    targets = [generator.target for generator in comprehension.generators]
    return Scope(bound={node.id for node in own_nodes(targets) if isinstance(node, ast.Name)})


# ---- what gives a module-level name its value ----


@dataclass(frozen=True, eq=False)
class Piece:
    """A simple statement, or the headers of a compound one: what gives ``names`` their values, all of them at once."""

    nodes: Sequence[ast.AST]
    names: frozenset[str]
    redefines: frozenset[str] = frozenset()


def bindings(tree: ast.Module, scope: Scope) -> dict[str, list[Piece]]:
    """For each module-level name the pieces of text that decide its value, without the ``__main__`` block.

    A later plain definition replaces earlier ones, as when Python runs the file. What is done to imported names
    (``torch.manual_seed(0)``) decides the value of no name of the file's own and is left out.
    """
    found: dict[str, list[Piece]] = {}
    for statement in tree.body:
        for piece in _pieces(statement):
            is_whole = statement in piece.nodes
            for name in piece.names:
                if name in scope.imported:
                    continue
                if is_whole and name in piece.redefines:
                    found[name] = []
                found.setdefault(name, []).append(piece)
    return found


def _pieces(outermost: ast.stmt) -> Iterator[Piece]:
    """Simple statements within a statement, and the headers of compound ones, from top to bottom."""
    waiting = [outermost]
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, Definition):
            yield Piece([statement], frozenset({statement.name}), _redefined(statement))
            continue
        main_guard = isinstance(statement, ast.If) and is_main_guard(statement.test)
        parts: list[ast.AST] = list(statement.orelse if main_guard else ast.iter_child_nodes(statement))  # type: ignore[attr-defined]
        blocks = [part for part in parts if isinstance(part, Block)]
        if not blocks and not main_guard:
            yield Piece([statement], frozenset(_names_given(statement)), _redefined(statement))
            continue
        headers = [part for part in parts if not isinstance(part, Block)]
        if headers:
            yield Piece(headers, frozenset(name for header in headers for name in _stored(header)))
        inner: list[ast.stmt] = []
        for block in blocks:
            within = [block] if isinstance(block, ast.stmt) else ast.iter_child_nodes(block)
            inner += [part for part in within if isinstance(part, ast.stmt)]
        waiting += reversed(inner)


def is_main_guard(test: ast.expr) -> bool:
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return False
    sides = (test.left, test.comparators[0])
    is_name = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    return is_name and any(isinstance(side, ast.Constant) and side.value == "__main__" for side in sides)


def _names_given(statement: ast.AST) -> set[str]:
    """Names stored, and the objects changed by ``table[key] = …``, ``thing.part = …`` and ``table.update(…)``."""
    names = _stored(statement)
    changed: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        changed = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        changed = [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        changed = [statement.value.func]
    for target in changed:
        while isinstance(target, ast.Attribute | ast.Subscript):
            target = target.value
        if isinstance(target, ast.Name):
            names.add(target.id)
    return names


def _stored(node: ast.AST) -> set[str]:
    return {name.id for name in own_nodes([node]) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}


def _redefined(piece: ast.AST) -> frozenset[str]:
    """Names that get a wholly new value: not ``step = decorated(step)``, which still needs the old one."""
    if isinstance(piece, ast.Assign):
        names = {target.id for target in piece.targets if isinstance(target, ast.Name)}
        sources: list[ast.expr] = [piece.value]
    elif isinstance(piece, Definition):
        names, sources = {piece.name}, piece.decorator_list
    else:
        return frozenset()
    if not names:
        return frozenset()
    used = (node.id for source in sources for node in all_nodes(source) if isinstance(node, ast.Name))
    return frozenset(names.difference(used))
