"""The numbers in the text of a gradient's statements: literals, and how many parts are written one by one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from grader.intake.notebook.script import Statement
from grader.source.syntax import WrittenNumber, all_nodes, last_name

MAX_WRITTEN_NUMBER = 1 << 20
MAX_WRITTEN_NUMBERS = 100
MAX_INDEX_PLACES = 500
"""Places in square brackets that are looked at in one statement."""
JOINING = frozenset({"cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack"})


def written_numbers(statements: Sequence[Statement]) -> list[WrittenNumber]:
    """The numbers in the text of the statements, each with its line: MAX_WRITTEN_NUMBERS, and as many counts."""
    found: list[WrittenNumber] = []
    for statement in statements:
        for node in all_nodes(statement.node):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, (int, float)):
                continue
            if (
                type(node.value) is not bool
                and 0 < node.value <= MAX_WRITTEN_NUMBER
                and len(found) < MAX_WRITTEN_NUMBERS
            ):
                found.append(WrittenNumber(float(node.value), statement.file, node.lineno))
    counts = [*lengths_of_lists(statements), *numbered_parts(statements)]
    return found + list(dict.fromkeys(counts))[:MAX_WRITTEN_NUMBERS]


def lengths_of_lists(statements: Iterable[Statement]) -> Iterator[WrittenNumber]:
    """How many names are assigned at once, tensors are joined, or places are listed: 3 in `a, b, c = x.unbind(1)`."""
    for statement in statements:
        for node in all_nodes(statement.node):
            listed: ast.AST | None = node
            if isinstance(node, ast.Call):
                listed = node.args[0] if last_name(node.func) in JOINING and node.args else None
            elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
                places = [constant_place(each) for each in node.elts]
                listed = node if places == [*range(len(places))] else None
            if isinstance(listed, ast.Tuple | ast.List) and len(listed.elts) > 1:
                yield WrittenNumber(len(listed.elts), statement.file, listed.lineno, is_count=True)


def numbered_parts(statements: Iterable[Statement]) -> Iterator[WrittenNumber]:
    """How many parts of one tensor are read by their places: 3 where there is `x[:, 0]`, `x[:, 1]` and `x[:, -1]`."""
    places: dict[tuple[str, int], set[int]] = {}
    first: dict[tuple[str, int], tuple[str, int]] = {}
    for statement in statements:
        subscripts = [node for node in all_nodes(statement.node) if isinstance(node, ast.Subscript)][:MAX_INDEX_PLACES]
        for node in sorted(subscripts, key=lambda each: each.lineno):
            for axis, index in enumerate(node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]):
                place = constant_place(index)
                if place is not None:
                    key = ast.unparse(node.value), axis
                    places.setdefault(key, set()).add(place)
                    first.setdefault(key, (statement.file, node.lineno))
    for key, some in places.items():
        below = [place for place in some if place < 0]
        if len(some) > 1 and some == {*range(len(some) - len(below)), *range(-len(below), 0)}:
            yield WrittenNumber(len(some), *first[key], is_count=True)


def constant_place(node: ast.expr) -> int | None:
    """The place that is written as 2 or -1; None for everything else."""
    sign = -1 if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else 1
    number = node.operand if isinstance(node, ast.UnaryOp) and sign < 0 else node
    value = number.value if isinstance(number, ast.Constant) else None
    return sign * value if type(value) is int and value <= MAX_WRITTEN_NUMBER else None
