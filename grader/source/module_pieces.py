"""Which pieces of a file's text give each module-level name its value."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.source.scopes import Scope
from grader.source.syntax import (
    Block,
    DefinitionNode,
    base_name,
    inner_statements,
    is_main_guard,
    names_in,
    stored_names,
)


@dataclass(frozen=True, eq=False)
class Piece:
    """A simple statement, or the headers of a compound one: what gives ``names`` their values, all of them at once."""

    nodes: Sequence[ast.AST]
    names: frozenset[str]
    redefines: frozenset[str] = frozenset()


def pieces_by_name(tree: ast.Module, scope: Scope) -> dict[str, list[Piece]]:
    """For each module-level name the pieces of text that decide its value, without the ``__main__`` block.

    A later plain definition replaces earlier ones, as when Python runs the file. What is done to imported names
    (``torch.manual_seed(0)``) decides the value of no name of the file's own and is left out.
    """
    found: dict[str, list[Piece]] = {}
    for statement in tree.body:
        for piece in _pieces(statement):
            is_whole = statement in piece.nodes
            for name in piece.names:
                if name in scope.imports:
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
        if isinstance(statement, DefinitionNode):
            yield Piece([statement], frozenset({statement.name}), _redefined(statement))
            continue
        if isinstance(statement, ast.If) and is_main_guard(statement.test):
            waiting += reversed(statement.orelse)
            continue
        inner = inner_statements(statement)
        if not inner:
            yield Piece([statement], frozenset(_names_given(statement)), _redefined(statement))
            continue
        headers = [part for part in ast.iter_child_nodes(statement) if not isinstance(part, Block)]
        if headers:
            yield Piece(headers, frozenset(name for header in headers for name in stored_names(header)))
        waiting += reversed(inner)


def _names_given(statement: ast.AST) -> set[str]:
    """Names stored, and the objects changed by ``table[key] = …``, ``thing.part = …`` and ``table.update(…)``."""
    names = stored_names(statement)
    changed: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        changed = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        changed = [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        changed = [statement.value.func]
    return names.union(filter(None, map(base_name, changed)))


def _redefined(piece: ast.AST) -> frozenset[str]:
    """Names that get a wholly new value: not ``step = decorated(step)``, which still needs the old one."""
    if isinstance(piece, ast.Assign):
        names = {target.id for target in piece.targets if isinstance(target, ast.Name)}
        sources: list[ast.expr] = [piece.value]
    elif isinstance(piece, DefinitionNode):
        names, sources = {piece.name}, piece.decorator_list
    else:
        return frozenset()
    if not names:
        return frozenset()
    return frozenset(names.difference(*map(names_in, sources)))
