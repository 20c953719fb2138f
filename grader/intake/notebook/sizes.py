"""The sizes that a notebook sets (batch, block, vocabulary, ...), read from its text.

A variable that the lesson knows as a size (`n_hidden`, `batch_size`) has it where the text assigns a whole number, or
another such variable. A size that the text does not say so has its published value.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence

from grader.intake.notebook.slices import Uses
from grader.lesson.notebook_table import NotebookTable

MAX_SIZE = 1 << 20
MAX_SIZE_NAMES = 30  # of one number
MAX_SIZE_PLACES = 5


def sizes_set(uses: Uses, table: NotebookTable, places: Sequence[int]) -> dict[str, int]:
    """The sizes at these statements, a few of which are looked at; where they differ, those at the most of them."""
    some = places[:: 1 + len(places) // MAX_SIZE_PLACES]
    meant = {**table.same, **table.others}  # `n_hidden` is `W1.shape[1]`
    variables = {name: table.size_of(expression) for name, expression in meant.items()} | {**table.scalars}
    counted = Counter(tuple(sizes_at(uses, table.sizes, variables, i).items()) for i in some)
    return dict(counted.most_common(1)[0][0]) if counted else dict(table.sizes)


def sizes_at(uses: Uses, published: Mapping[str, int], variables: Mapping[str, str | None], i: int) -> dict[str, int]:
    """{size: its value at statement `i`}: as statements above it say, or cells further down, or as published."""
    found = {name: number for name in variables if (number := number_at(uses, name, i)) is not None}
    above = {name for name in found if uses.before(name, i)[0] < i}
    ordered = sorted(found, key=lambda name: name in above)  # of several for one size the last one counts
    own = {variables[name]: found[name] for name in ordered}
    return {size: own.get(size, number) for size, number in published.items()}


def number_at(uses: Uses, name: str, i: int) -> int | None:
    """The whole number that a variable is at statement `i`, if the text assigns one."""
    for _ in range(MAX_SIZE_NAMES):
        place = next(iter(uses.before(name, i)), None)
        value = value_assigned(uses.statements[place].node, name) if place is not None else None
        if isinstance(value, ast.Constant) and type(value.value) is int and 0 < value.value <= MAX_SIZE:
            return value.value
        if place is None or not isinstance(value, ast.Name):
            return None
        name, i = value.id, place
    return None


def value_assigned(node: ast.stmt, name: str) -> ast.expr | None:
    """The expression that an assignment gives the variable: `64` in `n_embd, n_hidden = 10, 64`."""
    if not isinstance(node, ast.Assign):
        return None
    for target in node.targets:
        match target, node.value:
            case ast.Name(id), value if id == name:
                return value
            case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                same = [of for to, of in zip(names, values, strict=True) if isinstance(to, ast.Name) and to.id == name]
                return same[-1] if same else None
    return None
