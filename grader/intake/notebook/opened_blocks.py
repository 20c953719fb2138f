"""The statements of a notebook as if at the top level: those inside `with`, `if`, `try` and loops in their place."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from grader.source.syntax import Block, children, is_marimo_cell, names_in, stored_names

MIN_GRADIENTS_OF_A_LOOP = 3
"""A loop that assigns so many gradients contains the whole backward pass; one with fewer is a part of a gradient."""


def without_blocks(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    """The statements, with those of a main guard, `with`, `try` and marimo cells in the place of the block."""
    found: list[ast.stmt] = []
    waiting = [*body][::-1]
    while waiting:
        node = waiting.pop()
        inside = statements_of_block(node)
        if inside is None:
            found.append(node)
        else:
            waiting += reversed(inside)
    return found


def statements_of_block(node: ast.stmt) -> list[ast.stmt] | None:
    """The statements of a block that changes nothing about them; None for any other statement."""
    if isinstance(node, ast.If) and "__name__" in names_in(node.test):
        return node.body
    if isinstance(node, ast.With) and all(item.optional_vars is None for item in node.items):
        return node.body
    if isinstance(node, ast.Try) and not any(isinstance(each, ast.Import | ast.ImportFrom) for each in node.body):
        return [*node.body, *node.orelse, *node.finalbody]
    return [each for each in node.body if not isinstance(each, ast.Return)] if is_marimo_cell(node) else None


def bound_by_loop(node: ast.stmt) -> bool:
    return isinstance(node, ast.For) and not node.body


def top_level_statements(
    body: Iterable[ast.stmt], whole: Collection[int], loops: int, gradients: Collection[str]
) -> Iterator[tuple[ast.stmt, int | None]]:
    """The statements as if at the top level: those of `with`, of `if MANUAL:`, and of a `whole` loop, one by one."""
    waiting: list[tuple[ast.stmt, int | None, bool]] = [(node, None, False) for node in reversed([*body])]
    while waiting:
        node, loop, is_ready = waiting.pop()
        inside: list[tuple[ast.stmt, int | None, bool]] = []
        if is_ready:
            yield node, loop
        elif (block := statements_of_block(node)) is not None:
            inside = [(each, loop, False) for each in block]
        elif isinstance(node, ast.With):
            binders = [binder(item.optional_vars, node) for item in node.items if item.optional_vars is not None]
            inside = [(each, loop, True) for each in binders] + [(each, loop, False) for each in node.body]
        elif isinstance(node, ast.If) and (branch := backward_branch(node, gradients)) is not None:
            inside = [(each, loop, False) for each in branch]
        elif isinstance(node, ast.For | ast.While) and id(node) in whole:
            if loop is None:
                loops += 1
            number = loop or loops
            inside = [(binder(node.target, node), number, True)] if isinstance(node, ast.For) else []
            inside += [(each, number, False) for each in (*node.body, *node.orelse)]
        else:
            yield node, loop
        waiting += reversed(inside)


def backward_branch(node: ast.If, gradients: Collection[str]) -> list[ast.stmt] | None:
    """The side that the text decides on, or the only one that assigns at least MIN_GRADIENTS_OF_A_LOOP gradients."""
    if isinstance(node.test, ast.Constant):
        return node.body if node.test.value else node.orelse
    sides = (node.body, node.orelse)
    counts = [len({n for each in side for n in stored_names(each)} & {*gradients}) for side in sides]
    return sides[counts.index(max(counts))] if max(counts) >= MIN_GRADIENTS_OF_A_LOOP and min(counts) == 0 else None


def binder(target: ast.expr, node: ast.stmt) -> ast.stmt:
    """A loop without a body: it binds its target, and nobody can say to what."""
    return ast.copy_location(ast.For(target=target, iter=ast.Tuple(elts=[], ctx=ast.Load()), body=[], orelse=[]), node)


def whole_loops(body: Iterable[ast.stmt], gradients: Collection[str]) -> set[int]:
    """The ids of the loops, in these statements, that assign at least MIN_GRADIENTS_OF_A_LOOP of the gradients."""
    loops: list[tuple[ast.AST, int]] = []  # each with the place of the loop around it, an outer one before its inner
    counted: list[set[str]] = []
    waiting: list[tuple[ast.AST, int]] = [(node, -1) for node in body]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, ast.For | ast.While):
            loops.append((node, around))
            counted.append(set())
            around = len(loops) - 1
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in gradients and around >= 0:
            counted[around].add(node.id)
        parts = children(node) if around >= 0 else (part for part in children(node) if isinstance(part, Block))
        waiting += [(part, around) for part in parts]
    for n in range(len(loops) - 1, -1, -1):
        if loops[n][1] >= 0 and len(counted[loops[n][1]]) < MIN_GRADIENTS_OF_A_LOOP:
            counted[loops[n][1]] |= counted[n]
    return {id(loop) for (loop, _), names in zip(loops, counted, strict=True) if len(names) >= MIN_GRADIENTS_OF_A_LOOP}
