"""The sizes that a notebook sets (batch, block, vocabulary, ...), read from its text.

A tensor of the lesson shows them where it is made (`C = torch.randn((27, 10))`), and so does a variable that the lesson
knows as a size (`n_hidden = 64`). A size that the text does not say so has its published value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.intake.notebook.slices import Uses
from grader.lesson.notebook_table import NotebookTable
from grader.source.syntax import all_nodes, last_name

MAKING = frozenset({"randn", "rand", "zeros", "ones", "empty"})
MAX_SIZE = 1 << 20


def sizes_at(uses: Uses, table: NotebookTable, i: int) -> dict[str, int]:
    """{size: its value at statement `i`}: as statements above it say, or as published."""
    found: list[tuple[bool, str, int]] = []  # (of a tensor, size, value); the last one counts
    own = {name: name for name in (*table.axes, *table.scalars)} | {**table.same, **table.others}
    for name, meant in own.items():
        made = uses.before(name, i)
        value = value_assigned(uses.statements[made[0]].node, name) if made else None
        if value is None:
            continue
        lengths = zip(table.axes.get(meant, ()), lengths_made(uses, value, made[0]), strict=False)
        found += [(True, sizes[0], n) for sizes, n in lengths if n and len(sizes) == 1]
        if (size := table.size_of(meant)) and (number := whole_number(uses, value, made[0])):
            found.append((False, size, number))
    return {**table.sizes, **{size: n for _, size, n in sorted(found) if size in table.sizes}}


def lengths_made(uses: Uses, value: ast.expr, i: int) -> Iterator[int | None]:
    """The lengths of a tensor's axes, where the expression makes it: 27 and 10 in `torch.randn((27, 10)) * 0.1`."""
    for call in all_nodes(value):
        if isinstance(call, ast.Call) and last_name(call.func) in MAKING and call.args:
            first = call.args[0]
            yield from (whole_number(uses, n, i) for n in (first.elts if isinstance(first, ast.Tuple) else call.args))
            return


def whole_number(uses: Uses, value: ast.expr | None, i: int) -> int | None:
    """The whole number above 0 that an expression is at statement `i`: written there, or as another variable."""
    while isinstance(value, ast.Name):
        made = uses.before(value.id, i)
        if not made:
            return None
        value, i = value_assigned(uses.statements[made[0]].node, value.id), made[0]
    if isinstance(value, ast.Constant) and type(value.value) is int and 0 < value.value <= MAX_SIZE:
        return value.value
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
