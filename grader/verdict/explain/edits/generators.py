"""NodeChanges that no pattern describes: other numbers, names and sizes, and what is read several times.

Each yields what takes a node's place, and the words for its rule's sentence (rules.py).
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from grader.source.syntax import names_in
from grader.verdict.explain.edits.contents import axes_in
from grader.verdict.explain.edits.known import Known
from grader.verdict.explain.edits.source_file import assigned_names, is_module, new_name, parameter_names, quote

SMALLEST_ORDINARY = 1e-2
"""A number below this one is there to keep a root or a division finite."""
LARGEST_NUMBER = 100
"""Numbers beyond this one are not changed."""
MAX_UNKNOWN_SHAPES = 4
"""Variables of unknown shape up to which each may be confused with any other."""
MAX_UNREAD = 3
"""Parameters that a function does not read, up to which each may belong in the place of any other."""
MAX_REPLACED = 8
"""Names that are replaced in a statement, and pairs that are exchanged."""
ONE_AS_ANOTHER = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod)

NodeChanges = Iterator[tuple[ast.AST, Mapping[str, str]]]


@dataclass
class Around:
    """What a change may use of the function around a node.

    `step` is the gradient that the function returns, "" for a function that the step calls. `parents` are those of the
    nodes met so far, by id.
    """

    function: ast.FunctionDef
    known: Known
    step: str
    parents: dict[int, ast.AST] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.parameters, self.local = parameter_names(self.function), assigned_names(self.function)
        read = names_in(self.function)
        unread = [name for name in self.parameters if name not in read]
        self.unread = unread if self.step and len(unread) <= MAX_UNREAD else []
        self.factors = [name for name in self.parameters if self.known.shapes.get(name)]

    def is_operand(self, node: ast.AST, *operators: type[ast.operator]) -> bool:
        parent = self.parents.get(id(node))
        return isinstance(parent, ast.BinOp) and isinstance(parent.op, operators)

    def shape_of(self, name: str) -> Sequence[int] | None:
        """The shape of a value by its name; a variable `dh` has the shape of `h`."""
        shapes = self.known.shapes
        if name in shapes and name not in self.local:
            return shapes[name]
        return shapes.get(name[1:]) if name.startswith("d") else shapes.get(name)


def in_place_calls(node: ast.AST, around: Around) -> NodeChanges:
    """`p.sub_(g)` for `p.sub(g)` whose result nothing uses."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver, attr=method)) as call):
            if not is_module(receiver) and not method.endswith("_"):
                in_place = ast.Attribute(receiver, f"{method}_", ast.Load())
                yield ast.Expr(ast.Call(in_place, call.args, call.keywords)), {"method": method}


def signed_number(node: ast.AST) -> float | None:
    """A number with its sign, within LARGEST_NUMBER."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            number: float = -value
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            number = value
        case _:
            return None
    return number if abs(number) <= LARGEST_NUMBER else None


def is_axis(node: ast.AST, around: Around) -> bool:
    parent = around.parents.get(id(node))
    while isinstance(parent, (ast.UnaryOp, ast.Tuple, ast.List, ast.keyword)):
        node, parent = parent, around.parents.get(id(parent))
    return parent is not None and any(node is each for each in axes_in(parent))


def other_values(value: float) -> list[float]:
    """Numbers that one may be confused with: its opposite, the next ones, double, half, and a square for a root."""
    steps = () if 0 < abs(value) < SMALLEST_ORDINARY else (value + 1, value - 1)
    inverse = (1 / value,) if value in (2, 0.5) else ()
    return [each for each in dict.fromkeys((-value, *steps, 2 * value, value / 2, *inverse)) if each != value]


def other_numbers(node: ast.AST, around: Around) -> NodeChanges:
    """Another exponent, factor or one; none becomes zero."""
    value = signed_number(node)
    if value is None or is_axis(node, around):
        return
    parent = around.parents.get(id(node))
    is_exponent = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow) and parent.right is node
    for other in other_values(value):
        if abs(other) > 1e-3:
            words = {"kind": "exponent" if is_exponent else "number", "number": repr(value)}
            yield ast.parse(repr(other), mode="eval").body, words


def other_axes(node: ast.AST, around: Around) -> NodeChanges:
    value = signed_number(node)
    if type(value) is int and is_axis(node, around):
        for other in (each for each in other_values(value) if each == int(each)):
            yield ast.Constant(int(other)), {"number": repr(value)}


def other_small_numbers(node: ast.AST, around: Around) -> NodeChanges:
    """The small number that the forward pass adds."""
    if isinstance(node, ast.Constant) and type(node.value) is float and 0 < node.value < SMALLEST_ORDINARY:
        for constant in (each for each in around.known.constants if each != node.value):
            yield ast.Constant(constant), {"number": quote(node)}


def loop_variables(node: ast.AST, around: Around) -> NodeChanges:
    """A variable of a loop in place of a number in an index."""
    if not isinstance(node, ast.Constant) or type(node.value) is not int:
        return
    inner: ast.AST = node
    is_in_index = False
    while parent := around.parents.get(id(inner)):
        is_in_index |= isinstance(parent, ast.Subscript) and parent.slice is inner
        if is_in_index and isinstance(parent, ast.For):
            for name in sorted(names_in(parent.target)):
                yield new_name(name), {"number": repr(node.value)}
        inner = parent


def divided_by_sizes(node: ast.AST, around: Around) -> NodeChanges:
    """A value divided by a size. Of a product only the whole: its factors would give the same."""
    is_part = around.is_operand(node, ast.Mult, ast.MatMult, ast.Div)
    is_stored = isinstance(getattr(node, "ctx", None), ast.Store)
    is_size = isinstance(node, ast.Name) and node.id in around.known.sizes
    if isinstance(node, (ast.Call, ast.BinOp, ast.Name)) and not (is_part or is_stored or is_size):
        for size in around.known.sizes:
            yield ast.BinOp(node, ast.Div(), new_name(size)), {"part": quote(node), "size": size}


def names_instead(node: ast.AST, around: Around) -> NodeChanges:
    """Another value that the name may be confused with."""
    parent = around.parents.get(id(node))
    is_callee = isinstance(parent, ast.Call) and parent.func is node
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not is_callee:
        unread = around.unread if node.id in around.parameters else ()
        for other in dict.fromkeys((*unread, *alternatives(node.id, around))):
            if other not in (node.id, around.step) and not cancels(parent, other):
                yield new_name(other), {"name": node.id, "other": other}


def names_of_the_derivative(node: ast.AST, around: Around) -> NodeChanges:
    """Any value that the derivative of the forward line may be written with."""
    parent = around.parents.get(id(node))
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in around.parameters:
        for other in around.known.related:
            if other not in (node.id, around.step) and not cancels(parent, other):
                yield new_name(other), {"name": node.id, "other": other}


def alternatives(name: str, around: Around) -> list[str]:
    """Similar names, and values of its shape; for a name of unknown shape, other unknown ones.

    In a function that the step calls, any of its names.
    """
    known, parameters, local = around.known, around.parameters, around.local
    if name not in parameters and name not in local:
        return []
    if not around.step:
        return [*parameters, *local]
    stem, shape = name.split("_")[0], around.shape_of(name)
    similar = [each for each in (*parameters, *known.shapes) if each.split("_")[0] == stem]  # h and h_before
    if shape is None:
        unknown = [each for each in local if around.shape_of(each) is None and each != name]
        return [*similar, *(unknown if len(unknown) <= MAX_UNKNOWN_SHAPES else ())]
    alike = [each for each in local if around.shape_of(each) == shape]
    alike += [each for each, size in known.shapes.items() if list(size) == list(shape) and each not in local]
    return [each for each in (*similar, *alike) if (each in known.masks) == (name in known.masks)]


def cancels(parent: ast.AST | None, other: str) -> bool:
    """Whether `other` cannot be meant: in `n // m`, `x - y` or a tuple it would appear twice."""
    if isinstance(parent, ast.Tuple):
        return any(isinstance(each, ast.Name) and each.id == other for each in parent.elts)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ONE_AS_ANOTHER):
        return any(isinstance(each, ast.Name) and each.id == other for each in (parent.left, parent.right))
    return False


class Renamed(ast.NodeTransformer):
    """Other names in the places of some, wherever they are read."""

    def __init__(self, others: Mapping[str, str]) -> None:
        self._others = others

    def visit_Name(self, node: ast.Name) -> ast.Name:
        is_read = node.id in self._others and isinstance(node.ctx, ast.Load)
        return new_name(self._others[node.id]) if is_read else node


def times_read(node: ast.AST) -> Counter[str]:
    """{name: how often a line reads it}; empty unless it is an assignment or a return."""
    nodes = ast.walk(node) if isinstance(node, (ast.Return, ast.Assign)) else ()
    return Counter(each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))


def other_name_everywhere(node: ast.AST, around: Around) -> NodeChanges:
    """Another value of the same shape wherever the line reads a name; one of unknown shape may have the gradient's."""
    shapes = around.known.shapes
    for name in [each for each, count in times_read(node).items() if count > 1][:MAX_REPLACED]:
        shape = list(shapes.get(name, shapes.get(around.step[1:], ())))
        others = [each for each, size in shapes.items() if shape and list(size) == shape and each != name]
        for other in others[:MAX_REPLACED]:
            yield Renamed({name: other}).visit(copy.deepcopy(node)), {"name": name, "other": other}


def exchanged_names(node: ast.AST, around: Around) -> NodeChanges:
    """Two values of the same shape, each in the place of the other, in one line."""
    shapes = around.known.shapes
    known = [name for name in times_read(node) if shapes.get(name)]
    pairs = [(a, b) for a, b in combinations(known, 2) if list(shapes[a]) == list(shapes[b])]
    for one, other in pairs[:MAX_REPLACED]:
        changed = Renamed({one: other, other: one}).visit(copy.deepcopy(node))
        yield changed, {"name": one, "other": other}
