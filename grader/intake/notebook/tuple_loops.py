"""What the names of a loop over written-out tuples stand for in each round: `for name, mine, tensor in [...]`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

MAX_LOOP_ENTRIES = 1_000
MAX_LOOP_ROUNDS = 4_000
"""Rounds of all loops of a notebook together."""
LoopRound = Mapping[str, ast.expr]
"""{name: the expression that it stands for} in one round"""


class TupleLoops:
    """Unrolls loops of one notebook. `lists` is {name: the list, tuple or dictionary that it is assigned}."""

    def __init__(self, lists: Mapping[str, ast.expr]) -> None:
        self.lists, self.rounds = lists, 0

    def rows(self, loop: ast.For | ast.comprehension) -> list[LoopRound]:
        """What the loop's names stand for, in each round."""
        found: list[LoopRound] = []
        if self.rounds > MAX_LOOP_ROUNDS:
            return found
        for entry in self.entries(loop.iter):
            self.rounds += 1
            row: dict[str, ast.expr] = {}
            if match_target(loop.target, entry, row):
                found.append(row)
        return found

    def entries(self, node: ast.expr, depth: int = 0) -> list[ast.expr]:
        if isinstance(node, ast.Name):
            node = self.lists.get(node.id, node)
        if isinstance(node, ast.List | ast.Tuple):
            return node.elts[:MAX_LOOP_ENTRIES]
        if not isinstance(node, ast.Call) or depth > 2:
            return []
        if isinstance(node.func, ast.Attribute) and node.func.attr == "items":
            table = node.func.value
            table = self.lists.get(table.id, table) if isinstance(table, ast.Name) else table
            if isinstance(table, ast.Dict):
                return [tuple_of(k, v) for k, v in zip(table.keys, table.values, strict=True) if k is not None]
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "zip" and node.args and not any(isinstance(each, ast.Starred) for each in node.args):
            columns = [self.entries(each, depth + 1) for each in node.args[:6]]
            return [tuple_of(*row) for row in zip(*columns, strict=False)]
        if name == "enumerate" and node.args:
            return [tuple_of(ast.Constant(n), each) for n, each in enumerate(self.entries(node.args[0], depth + 1))]
        return []


def unpacked_arguments(arguments: Iterable[ast.expr], row: LoopRound) -> list[ast.expr] | None:
    """`*entry` as the elements that it stands for in this round; None where nobody knows them."""
    found: list[ast.expr] = []
    for each in arguments:
        if isinstance(each, ast.Starred):
            inner = row.get(each.value.id) if isinstance(each.value, ast.Name) else None
            if not isinstance(inner, ast.Tuple | ast.List):
                return None
            found += inner.elts
        else:
            found.append(each)
    return found


def match_target(target: ast.expr, value: ast.expr, row: dict[str, ast.expr]) -> bool:
    """Adds what the names of a loop's target stand for when it gets this value."""
    if isinstance(target, ast.Name):
        row[target.id] = value
        return True
    if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        pairs = zip(target.elts, value.elts, strict=False)
        return len(target.elts) == len(value.elts) and all([match_target(t, v, row) for t, v in pairs])
    return False


def listed_names(node: ast.expr) -> list[str]:
    """The names in a list of nothing else."""
    elements = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    names = [each.id for each in elements if isinstance(each, ast.Name)]
    return names if len(names) == len(elements) else []


def tuple_of(*parts: ast.expr) -> ast.expr:
    return ast.Tuple(elts=list(parts), ctx=ast.Load())
