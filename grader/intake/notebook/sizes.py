"""The sizes that a notebook sets (batch, block, vocabulary, ...).

Read from the text alone: constants, names that are bound to them, options, and the shapes with which tensors are made.
What the text does not say (`vocab_size = len(itos)`) has the published size.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from grader.intake.notebook.size_options import option_name, options_of
from grader.intake.notebook.uses import Uses
from grader.lesson.notebook_table import LessonSizes

MAKING = frozenset({"randn", "rand", "zeros", "ones", "empty", "standard_normal"})
"""Functions whose arguments are a shape. Of others (`randint`, `full`, `normal`) the shape is a tuple or `size=`."""
SHAPED = frozenset({"randint", "full", "normal", "uniform"})
KEEPS_THE_SHAPE = frozenset(
    {"requires_grad_", "to", "float", "double", "long", "clone", "detach", "cuda", "cpu", "contiguous", "mul_", "div_"}
)
"""Methods that keep the shape."""
WRAPPING = frozenset({"Parameter", "from_numpy", "as_tensor", "tensor"})
MAX_SIZE = 1 << 20
MAX_SIZE_STEPS = 20_000
MAX_SIZE_DEPTH = 30
MAX_SIZE_PLACES = 5


class Dimension(NamedTuple):
    """One axis of a tensor: its size if the text says it, and the name that was used for it."""

    size: int | None
    name: str | None = None


MORE_AXES = Dimension(None)  # at the end of a shape: there may be more axes


class SizeReader:
    """Evaluates whole numbers and shapes in a script, each at the place of a statement."""

    def __init__(self, uses: Uses) -> None:
        self._statements, self._uses = uses.statements, uses
        self._numbers: dict[tuple[str, int], int | None] = {}
        self._shapes: dict[tuple[str, int], list[Dimension] | None] = {}
        self._steps = self._depth = 0

    @cached_property
    def _options(self) -> dict[str, list[ast.expr]]:
        return options_of(statement.node for statement in self._statements)

    def option(self, name: str | None) -> int | None:
        """The whole number that an option of this name has wherever the text sets it."""
        last = len(self._statements)
        found = {self.number(value, last) for value in self._options.get(name or "", ())[:MAX_SIZE_PLACES]} - {None}
        return found.pop() if len(found) == 1 else None

    def number(self, node: ast.expr | None, i: int) -> int | None:
        """The whole number that the expression is at statement `i`; None where the text does not say it."""
        found = self._guarded(self._number, node, i)
        return found if isinstance(found, int) and abs(found) <= MAX_SIZE else None

    def shape(self, node: ast.expr | None, i: int) -> list[Dimension] | None:
        """The axes of the tensor that the expression is at statement `i`; MORE_AXES at the end: there may be more."""
        found: list[Dimension] | None = self._guarded(self._shape, node, i)
        return found

    def binding(self, name: str, i: int) -> int | None:
        """The statement that gives `name` the value that statement `i` finds."""
        made = self._uses.before(name, i)
        return made[0] if made else None

    def is_bound_above(self, name: str, i: int) -> bool:
        """Whether a statement above statement `i` gives `name` its value, and not a cell further down."""
        place = self.binding(name, i)
        return place is not None and place < i

    def is_the_same(self, name: str, i: int, j: int) -> bool:
        """Whether `name` has one and the same size at both statements."""
        if self.binding(name, i) == self.binding(name, j):
            return self.binding(name, i) is not None
        return self.number_of(name, i) == self.number_of(name, j) is not None

    def _guarded(self, evaluate: Any, node: ast.expr | None, i: int) -> Any:
        self._steps += 1
        if node is None or self._steps > MAX_SIZE_STEPS or self._depth > MAX_SIZE_DEPTH:
            return None
        self._depth += 1
        try:
            return evaluate(node, i)
        finally:
            self._depth -= 1

    def _number(self, node: ast.expr, i: int) -> int | None:
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int else None
        if isinstance(node, ast.Name):
            return self.number_of(node.id, i)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.number(node.operand, i)
            return None if value is None else -value
        if isinstance(node, ast.BinOp):
            left, right = self.number(node.left, i), self.number(node.right, i)
            return None if left is None or right is None else calculate(node.op, left, right)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return self._axis(node.value.value, node.slice, i)
        if isinstance(node, ast.Subscript | ast.Attribute):
            return self.option(option_name(node))
        if isinstance(node, ast.Call):
            called, arguments = node.func, node.args
            if isinstance(called, ast.Attribute) and called.attr == "size" and len(arguments) == 1:
                return self._axis(called.value, arguments[0], i)
            if isinstance(called, ast.Name) and called.id == "len" and len(arguments) == 1:
                return self._axis(arguments[0], ast.Constant(0), i)
            if isinstance(called, ast.Name) and called.id == "int" and len(arguments) == 1:
                return self.number(arguments[0], i)
        return None

    def _axis(self, tensor: ast.expr, axis: ast.expr, i: int) -> int | None:
        dimensions, at = self.shape(tensor, i), self.number(axis, i)
        known = dimensions is not None and at is not None and 0 <= at < len(dimensions)
        return dimensions[at].size if known and dimensions is not None and at is not None else None

    def number_of(self, name: str, i: int) -> int | None:
        place = self.binding(name, i)
        if place is None:
            return None
        if (name, place) not in self._numbers:
            self._numbers[name, place] = None  # what refers to itself is unknown
            value = bound_to(self._statements[place].node, name)
            if isinstance(value, UnpackedName):
                shape = self.shape(value.node.value, place) if is_shape(value.node) else None
                found = shape[value.place].size if shape is not None and value.place < len(shape) else None
            else:
                found = self.number(value, place)
            self._numbers[name, place] = found
        return self._numbers[name, place]

    def shape_of(self, name: str, i: int) -> list[Dimension] | None:
        place = self.binding(name, i)
        if place is None:
            return None
        if (name, place) not in self._shapes:
            self._shapes[name, place] = None
            value = bound_to(self._statements[place].node, name)
            self._shapes[name, place] = None if isinstance(value, UnpackedName) else self.shape(value, place)
        return self._shapes[name, place]

    def _shape(self, node: ast.expr, i: int) -> list[Dimension] | None:
        if isinstance(node, ast.Name):
            return self.shape_of(node.id, i)
        if isinstance(node, (ast.List, ast.Tuple)):
            return [Dimension(len(node.elts))]
        if isinstance(node, ast.UnaryOp):
            return self.shape(node.operand, i)
        if isinstance(node, ast.BinOp):
            shapes = [self.shape(operand, i) for operand in (node.left, node.right)]
            longest = max((shape for shape in shapes if shape is not None), key=len, default=None)
            return longest and [Dimension(None) if each.size == 1 else each for each in longest]  # 1 is broadcast
        if isinstance(node, ast.Subscript):
            return self._indexed(node, i)
        return self._made(node, i) if isinstance(node, ast.Call) else None

    def _indexed(self, node: ast.Subscript, i: int) -> list[Dimension] | None:
        rest = (self.shape(node.value, i) or [MORE_AXES, MORE_AXES])[1:]
        index = node.slice
        if isinstance(index, ast.Slice):
            start = 0 if index.lower is None else self.number(index.lower, i)
            stop = self.number(index.upper, i) if index.step is None else None
            name = index.upper.id if isinstance(index.upper, ast.Name) and index.lower is None else None
            return [Dimension(stop - start if stop is not None and start is not None else None, name), *rest]
        first = None if isinstance(index, ast.Tuple) else self.shape(index, i)
        if first is None or (first and first[-1] is MORE_AXES):
            return first
        return [*first, *rest]

    def _made(self, node: ast.Call, i: int) -> list[Dimension] | None:
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        if isinstance(called, ast.Attribute) and name in KEEPS_THE_SHAPE:
            return self.shape(called.value, i)
        if name in WRAPPING and node.args:
            return self.shape(node.args[0], i)
        if name not in MAKING | SHAPED:
            return None
        given: ast.expr | None = next((word.value for word in node.keywords if word.arg in ("size", "shape")), None)
        given = given or next((each for each in node.args if isinstance(each, (ast.Tuple, ast.List))), None)
        parts = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given] if given else []
        if not parts and name in MAKING:
            parts = node.args
        return [Dimension(self.number(part, i), part.id if isinstance(part, ast.Name) else None) for part in parts]


class UnpackedName(NamedTuple):
    """A name that is the part at `place` of what `node` gives, as in `n, m = x.shape`."""

    node: ast.Attribute
    place: int


def is_shape(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def bound_to(node: ast.stmt, name: str) -> ast.expr | UnpackedName | None:
    """What an assignment gives to `name`."""
    if isinstance(node, ast.AnnAssign):
        return node.value if isinstance(node.target, ast.Name) and node.target.id == name else None
    if not isinstance(node, ast.Assign):
        return None
    for target in node.targets:
        if isinstance(target, ast.Name) and target.id == name:
            return node.value
        if isinstance(target, (ast.Tuple, ast.List)):
            for place, each in enumerate(target.elts):
                if not isinstance(each, ast.Name) or each.id != name:
                    continue
                if isinstance(node.value, (ast.Tuple, ast.List)) and len(node.value.elts) == len(target.elts):
                    return node.value.elts[place]
                return UnpackedName(node.value, place) if isinstance(node.value, ast.Attribute) else None
    return None


def calculate(operator: ast.operator, left: float, right: float) -> Any:
    """The number, of whole numbers a whole one; None where it is not a number, or is large."""
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.FloorDiv) and right:
        return left // right
    if isinstance(operator, ast.Div) and right:
        return left / right
    if isinstance(operator, ast.Pow) and 0 <= right <= 20 and abs(left) <= 1000:
        return left**right
    return None


def sizes_at(reader: SizeReader, sizes: LessonSizes, same: Mapping[str, str], i: int) -> dict[str, int]:
    """{size: its value at statement `i`}: by the tensors' shapes, by values that are sizes, by names, as published."""
    found: dict[str, int] = {}

    def note(size: str | None, value: int | None) -> None:
        if size is not None and value is not None and value > 0:
            found.setdefault(size, value)

    shapes = {name: shape for name in sizes.axes if (shape := reader.shape_of(name, i)) is not None}
    axes = [(n, parts, each.size) for n in shapes for parts, each in zip(sizes.axes[n], shapes[n], strict=False)]
    scalars = {**{name: sizes.size_of(expression) for name, expression in same.items()}, **sizes.scalars}
    for is_above in (True, False):  # first what statements above it say, then cells further down
        for name, parts, length in axes:
            if len(parts) == 1 and reader.is_bound_above(name, i) is is_above:
                note(parts[0], length)
        for name, size in scalars.items():
            if reader.is_bound_above(name, i) is is_above:
                note(size, reader.number_of(name, i))
    for _, parts, length in axes:  # `W1 = torch.randn(30, 64)`: 30 is block times embedding
        unknown = [part for part in parts if part not in found]
        rest = math.prod(found[part] for part in parts if part in found)
        if len(unknown) == 1 and length and rest and length % rest == 0:
            note(unknown[0], length // rest)
    for name, size in scalars.items():
        if len(name) > 2 and size is not None and size not in found:  # a short name has another meaning elsewhere
            note(size, reader.option(name))
    return {size: found.get(size, published) for size, published in sizes.published.items()}


def sizes_set(reader: SizeReader, sizes: LessonSizes, same: Mapping[str, str], places: Sequence[int]) -> dict[str, int]:
    """The sizes at these statements, a few of which are looked at; where they differ, those at the most of them."""
    some = places[:: 1 + len(places) // MAX_SIZE_PLACES]
    counted = Counter(tuple(sizes_at(reader, sizes, same, i).items()) for i in some)
    return dict(counted.most_common(1)[0][0]) if counted else dict(sizes.published)


def names_of_sizes(
    reader: SizeReader, sizes: LessonSizes, places: Sequence[int], known: Collection[str]
) -> dict[str, str]:
    """{variable: expression of values}: names with which the script made its tensors, `V` in `randn((V, 10))`.

    Only those that are at all these statements what they were when the tensor was made. `known` are left out.
    """
    found: dict[str, str] = {}
    for name, axes in sizes.axes.items() if places else ():
        made, shape = reader.binding(name, places[0]), reader.shape_of(name, places[0])
        for parts, dimension in zip(axes, shape or (), strict=False):
            other = dimension.name
            if other is None or other in known or other in found or made is None:
                continue
            if len(parts) != 1 or parts[0] not in sizes.expressions:
                continue
            if all(reader.is_the_same(other, made, i) for i in places):
                found.setdefault(other, sizes.expressions[parts[0]])
    return found
