"""The sizes that a notebook sets (batch, block, vocabulary, ...).

Read from the text alone: constants, names that are bound to them, and the shapes with which tensors are made. What the
text does not say, also what an object or a dictionary holds, has the published size.
"""

from __future__ import annotations

import ast
import math
import operator
from collections import Counter
from collections.abc import Callable, Sequence

from grader.intake.notebook.slices import Uses
from grader.lesson.notebook_table import NotebookTable
from grader.source.syntax import last_name

MAKING = frozenset({"randn", "rand", "zeros", "ones", "empty", "standard_normal"})
"""Functions whose arguments are a shape. Of others (`randint`, `full`, `normal`) the shape is a tuple or `size=`."""
SHAPED = frozenset({"randint", "full", "normal", "uniform"})
KEEPS_THE_SHAPE = frozenset(
    {"requires_grad_", "to", "float", "double", "long", "clone", "detach", "cuda", "cpu", "contiguous", "mul_", "div_"}
)
WRAPPING = frozenset({"Parameter", "from_numpy", "as_tensor", "tensor"})
MAX_SIZE = 1 << 20
MAX_SIZE_DEPTH = 30
MAX_SIZE_PLACES = 5
OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: lambda left, right: left // right if right else 0,
    ast.Pow: lambda left, right: left**right if 0 <= right <= 20 and abs(left) <= 1000 else 0,
}


Shape = list[int | None]
"""The lengths of a tensor's axes, where the text says them. After an unknown last one there may be more."""
Value = int | Shape | None
"""A whole number, the shape of a tensor, or what the text does not say."""


class SizeReader:
    """Evaluates whole numbers and shapes in a script, each at the place of a statement."""

    def __init__(self, uses: Uses) -> None:
        self.uses = uses
        self._known: dict[tuple[str, int], Value] = {}
        self._depth = 0

    def number(self, node: ast.expr | None, i: int) -> int | None:
        """The whole number that the expression is at statement `i`."""
        found = self.value(node, i)
        return found if isinstance(found, int) else None

    def shape(self, node: ast.expr, i: int) -> Shape | None:
        """The axes of the tensor that the expression is at statement `i`."""
        found = self.value(node, i)
        return found if isinstance(found, list) else None

    def is_bound_above(self, name: str, i: int) -> bool:
        """Whether a statement above statement `i` gives `name` its value, and not a cell further down."""
        return any(place < i for place in self.uses.before(name, i)[:1])

    def value(self, node: ast.expr | None, i: int) -> Value:
        if node is None or self._depth > MAX_SIZE_DEPTH:
            return None
        self._depth += 1
        try:
            found = self._value(node, i)
        finally:
            self._depth -= 1
        return None if isinstance(found, int) and abs(found) > MAX_SIZE else found

    def named(self, name: str, i: int) -> Value:
        """What the variable is at statement `i`."""
        place = next(iter(self.uses.before(name, i)), None)
        if place is None:
            return None
        if (name, place) not in self._known:
            self._known[name, place] = None  # what refers to itself is unknown
            node = self.uses.statements[place].node
            if not isinstance(node, ast.Assign):
                return None
            for target in node.targets:
                match target, node.value:
                    case ast.Name(id), value if id == name:
                        self._known[name, place] = self.value(value, place)
                    case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                        same = (value for to, value in zip(names, values, strict=True) if ast.unparse(to) == name)
                        self._known[name, place] = self.value(next(same, None), place)
        return self._known[name, place]

    def _value(self, node: ast.expr, i: int) -> Value:
        match node:
            case ast.Constant(value=int() as number) if type(number) is int:
                return number
            case ast.Name(name):
                return self.named(name, i)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return [len(parts)]
            case ast.BinOp(left=left, op=op, right=right):
                return self._combined(op, self.value(left, i), self.value(right, i))
            case ast.Subscript(value=ast.Attribute(value=tensor, attr="shape"), slice=axis):
                shape, place = self.shape(tensor, i) or [], self.number(axis, i)
                return shape[place] if place is not None and 0 <= place < len(shape) else None
            case ast.Call():
                return self._made(node, i)
            case ast.Subscript():
                return self._indexed(node, i)
        return None

    def _combined(self, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(left, int) and isinstance(right, int):
            return OPERATIONS[type(op)](left, right) if type(op) in OPERATIONS else None
        longest = max((each for each in (left, right) if isinstance(each, list)), key=len, default=None)
        return longest and [None if each == 1 else each for each in longest]  # 1 is broadcast

    def _indexed(self, node: ast.Subscript, i: int) -> Shape | None:
        rest = (self.shape(node.value, i) or [None, None])[1:]
        index = node.slice
        if isinstance(index, ast.Slice):
            start = 0 if index.lower is None else self.number(index.lower, i)
            stop = self.number(index.upper, i) if index.step is None else None
            return [stop - start if stop is not None and start is not None else None, *rest]
        first = None if isinstance(index, ast.Tuple) else self.shape(index, i)
        return first if first is None or first[-1:] == [None] else [*first, *rest]

    def _made(self, node: ast.Call, i: int) -> Shape | None:
        name = last_name(node.func)
        if isinstance(node.func, ast.Attribute) and name in KEEPS_THE_SHAPE:
            return self.shape(node.func.value, i)
        if name in WRAPPING and node.args:
            return self.shape(node.args[0], i)
        if name not in MAKING | SHAPED:
            return None
        given = [word.value for word in node.keywords if word.arg in ("size", "shape")]
        given += [each for each in node.args if isinstance(each, ast.Tuple | ast.List)]
        parts = (given[0].elts if isinstance(given[0], ast.Tuple | ast.List) else given[:1]) if given else []
        if not parts and name in MAKING:
            parts = node.args
        return [self.number(part, i) for part in parts]

    def sizes_at(self, table: NotebookTable, i: int) -> dict[str, int]:
        """{size: its value at statement `i`}: by shapes, by values that are sizes, or as published."""
        found: dict[str, int] = {}

        def note(size: str | None, value: Value) -> None:
            if size is not None and isinstance(value, int) and value > 0:
                found.setdefault(size, value)

        shapes = {name: shape for name in table.axes if isinstance(shape := self.named(name, i), list)}
        axes = [(n, parts, each) for n in shapes for parts, each in zip(table.axes[n], shapes[n], strict=False)]
        scalars = {**{name: table.size_of(given) for name, given in table.same.items()}, **table.scalars}
        for is_above in (True, False):  # first what statements above it say, then cells further down
            for name, parts, length in axes:
                if len(parts) == 1 and self.is_bound_above(name, i) is is_above:
                    note(parts[0], length)
            for name, size in scalars.items():
                if self.is_bound_above(name, i) is is_above:
                    note(size, self.named(name, i))
        for _, parts, length in axes:  # `W1 = torch.randn(30, 64)`: 30 is block times embedding
            unknown = [part for part in parts if part not in found]
            rest = math.prod(found[part] for part in parts if part in found)
            if len(unknown) == 1 and length and rest and length % rest == 0:
                note(unknown[0], length // rest)
        return {size: found.get(size, published) for size, published in table.sizes.items()}


def sizes_set(reader: SizeReader, table: NotebookTable, places: Sequence[int]) -> dict[str, int]:
    """The sizes at these statements, a few of which are looked at; where they differ, those at the most of them."""
    some = places[:: 1 + len(places) // MAX_SIZE_PLACES]
    counted = Counter(tuple(reader.sizes_at(table, i).items()) for i in some)
    return dict(counted.most_common(1)[0][0]) if counted else dict(table.sizes)
