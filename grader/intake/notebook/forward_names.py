"""Forward values under other names: those that a notebook's own forward pass makes definite.

A line of the notebook, such as `h_pre = bn_gain * bn_raw + bn_bias`, is compared with the lines of the lesson's forward
pass. Names that are known already decide which line it is; the others follow from their places in it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from grader.intake.notebook.script import Statement
from grader.source.syntax import all_nodes, children, nested_statements

MAX_LINE_NODES = 60  # of a line that is compared; the longest of the lecture's has 20
MAX_FORWARD_LINES = 500  # of a notebook that may be lines of the forward pass
LIBRARY_NAMES = frozenset({"torch", "F", "np", "math"})
BUILT_IN = frozenset({"range", "len", "int", "float", "slice"})
OTHER_WORDS = {"keepdims": "keepdim", "axis": "dim"}
REDUCING_FUNCTIONS = frozenset({"sum", "mean", "max", "var", "std", "softmax", "log_softmax"})
OPERATOR_OF_FUNCTION = {"matmul": ast.MatMult, "mm": ast.MatMult, "pow": ast.Pow, "mul": ast.Mult, "add": ast.Add}
OPERATOR_OF_FUNCTION |= {
    "sub": ast.Sub,
    "div": ast.Div,
    "true_divide": ast.Div,
    "multiply": ast.Mult,
    "subtract": ast.Sub,
}
COMMUTATIVE = (ast.Add, ast.Mult)
OF_ONE_VALUE = re.compile(r"[a-z_]+\(_\)")
"""The structure of `torch.tanh(hpreact)`."""
RANGE_FUNCTIONS = frozenset({"range", "arange"})
"""All rows, however their number is written."""


@dataclass(frozen=True)
class LineForm:
    """A line without its names: `key` is its structure; `names` are the names in it, the assigned one first.

    Where a sum or a product has two alike operands, either order may be meant: each order is an entry of `names`.
    """

    key: str
    names: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class _Part:
    key: str
    names: tuple[tuple[str, ...], ...] = ((),)


def line_shape(target: str, value: ast.expr) -> LineForm | None:
    """None for a line that is too long."""
    if size(value) > MAX_LINE_NODES:
        return None
    part = _part(value)
    return LineForm(part.key, tuple((target, *names) for names in part.names))


def size(value: ast.AST) -> int:
    """How many nodes there are, counted to MAX_LINE_NODES + 1."""
    waiting, count = [value], 0
    while waiting and count <= MAX_LINE_NODES:
        node = waiting.pop()
        count += 1
        waiting += children(node)
    return count


def _join(key: str, parts: Sequence[_Part]) -> _Part:
    found: list[tuple[str, ...]] = [()]
    for part in parts:
        found = [(*one, *other) for one in found for other in part.names][:4]
    return _Part(f"{key}({','.join(part.key for part in parts)})", tuple(found))


def _operation(kind: type[ast.operator], left: _Part, right: _Part) -> _Part:
    name = kind.__name__
    if kind is ast.Div and left.key == "1.0":
        name, left, right = "Pow", right, _Part("-1.0")
    if issubclass(kind, COMMUTATIVE):
        if left.key > right.key:
            left, right = right, left
        if left.key == right.key and left.names != right.names:
            orders = (*_join(name, (left, right)).names, *_join(name, (right, left)).names)
            return _Part(_join(name, (left, right)).key, orders[:4])
    return _join(name, (left, right))


def _part(node: ast.expr) -> _Part:
    match node:
        case ast.Name(id=name):
            return _Part(name) if name in BUILT_IN else _Part("_", ((name,),))
        case ast.Constant(value=bool() | str() | None):
            return _Part(repr(node.value))
        case ast.Constant(value=int() | float() as number):
            return _Part(number_key(number))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return _Part(number_key(-number))
        case ast.BinOp():
            return _operation(type(node.op), _part(node.left), _part(node.right))
        case ast.Attribute(value=ast.Name(id=library)) if library in LIBRARY_NAMES:
            return _Part(node.attr)
        case ast.Attribute(attr="T"):
            return _join("t", [_part(node.value)])
        case ast.Attribute():
            return _join(f".{node.attr}", [_part(node.value)])
        case ast.Call():
            return _call(node)
        case ast.Subscript():
            return _join("[]", [_part(node.value), _part(node.slice)])
    parts = [_part(each) for each in children(node) if isinstance(each, ast.expr)]
    return _join(type(node).__name__, parts)


def number_key(number: float) -> str:
    """The number as a float, where it is no more than that: an integer may have too many digits."""
    return repr(float(number)) if abs(number) < 1e15 else str(hash(number))


def _call(node: ast.Call) -> _Part:
    """`x.sum(0, True)`, `torch.sum(x, dim=0, keepdim=True)`: a function's name, its operands, its words."""
    operands: list[ast.expr] = list(node.args)
    if isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id in LIBRARY_NAMES):
            operands.insert(0, node.func.value)
    elif isinstance(node.func, ast.Name):
        name = node.func.id  # `tanh(x)` as `torch.tanh(x)`
    else:
        return _join("call", [_part(node.func), *map(_part, operands)])
    words = {OTHER_WORDS.get(word.arg or "", word.arg or ""): _part(word.value) for word in node.keywords}
    if name in RANGE_FUNCTIONS:
        return _Part("rows")
    parts = [_part(each) for each in operands]
    if name in OPERATOR_OF_FUNCTION and len(parts) == 2 and not words:
        return _operation(OPERATOR_OF_FUNCTION[name], *parts)
    if name in REDUCING_FUNCTIONS:
        for word, part in zip(("dim", "keepdim"), parts[1:], strict=False):
            words.setdefault(word, part)
        parts = parts[:1]
        if words.get("keepdim", _Part("")).key == "False":
            del words["keepdim"]
    return _join(name, [*parts, *(_join(word, [words[word]]) for word in sorted(words))])


def above_gradients(
    statements: Iterable[Statement], is_gradient: Callable[[str], bool], each_loop: bool
) -> list[Statement]:
    """The statements above the first gradient; with `each_loop` above the first one of each loop."""
    found, ended = list[Statement](), set[int | None]()
    for statement in statements:
        loop = statement.loop if each_loop else None
        if statement.computes and any(map(is_gradient, statement.names.binds)):
            ended.add(loop)
        elif loop not in ended:
            found.append(statement)
    return found


def assigned_lines(statements: Iterable[Statement]) -> list[tuple[str, ast.expr]]:
    """(name, expression) of those that assign to one name, also in a loop that the backward pass comes after."""
    inner = nested_statements(each.node for each in statements)
    nodes = [each for each in inner if isinstance(each, ast.Assign) and len(each.targets) == 1]
    return [(node.targets[0].id, node.value) for node in nodes if isinstance(node.targets[0], ast.Name)]


def lines_like(lines: Iterable[tuple[str, ast.expr]], forward: Iterable[tuple[str, str]]) -> set[str]:
    """The names that are assigned in a line with the structure of one of the forward pass."""
    there = (line_shape("", ast.parse(text, mode="eval").body) for _, text in forward)
    keys = {line.key for line in there if line}
    return {name for name, value in lines if (shape := line_shape(name, value)) and shape.key in keys}


def other_names(
    lines: Iterable[tuple[str, ast.expr]],
    forward: Iterable[tuple[str, str]],
    values: Collection[str],
    bound: Collection[str],
    known: Mapping[str, str],
) -> dict[str, str]:
    """{the notebook's name: the lecture's}, for values that the notebook does not have under the lecture's name.

    `lines` are the notebook's (assigned name, expression), `forward` the lesson's; `bound` are the names that the
    notebook gives a value, `known` other names that are certain. A name is left out where two lines or two places
    disagree.
    """
    lines = [*lines]
    here = {node.id for _, value in lines for node in all_nodes(value) if isinstance(node, ast.Name)}
    here.update(target for target, _ in lines)
    known = {name: other for name, other in known.items() if name in here}
    searched: dict[str, list[LineForm]] = {}
    for name, text in forward:
        shape = line_shape(name, ast.parse(text, mode="eval").body)
        if shape is not None:
            searched.setdefault(shape.key, []).append(shape)
    every = (shape for target, value in lines if (shape := line_shape(target, value)) and shape.key in searched)
    shapes = list(islice(every, MAX_FORWARD_LINES))
    keys = [shape.key for shape in shapes]
    alone = {key for key in keys if OF_ONE_VALUE.fullmatch(key) and keys.count(key) == len(searched[key]) == 1}
    found, refused = dict(known), set[str]()
    while True:
        new: dict[str, set[str]] = {}
        for shape in shapes:
            readings = list(_readings(shape, searched[shape.key], found, values, bound, shape.key in alone))
            for name, other in readings[0].items() if len(readings) == 1 else ():
                new.setdefault(name, set()).add(other)
        taken = [other for others in new.values() for other in others]
        sure = {
            name: others.copy().pop()
            for name, others in new.items()
            if len(others) == 1 and taken.count(next(iter(others))) == 1 and name not in refused
        }
        refused |= new.keys() - sure.keys()
        if not sure:
            return {name: other for name, other in found.items() if name not in known}
        found |= sure


def agreeing_names(
    lines: Iterable[tuple[str, ast.expr]], forward: Iterable[tuple[str, str]], known: Mapping[str, str]
) -> set[str]:
    """Those of the `known` names whose own line has the structure of the forward pass's."""
    here = {name: line_shape(name, value) for name, value in lines}
    there = [(name, line_shape("", ast.parse(text, mode="eval").body)) for name, text in forward]
    expected = {(name, line.key) for name, line in there if line}
    return {name for name, shape in here.items() if shape and (known.get(name), shape.key) in expected}


def _readings(
    shape: LineForm,
    searched: Sequence[LineForm],
    found: Mapping[str, str],
    values: Collection[str],
    bound: Collection[str],
    is_alone: bool,
) -> Iterator[dict[str, str]]:
    """What the unknown names of a line would be, for each line of the forward pass that it may be.

    One of its names must be known, unless it `is_alone`: nothing else has its structure.
    """
    names, taken, seen = shape.names[0], set(found.values()), list[dict[str, str]]()
    for line in searched:
        for order in line.names:
            new: dict[str, str] = {}
            anchors = 0
            for name, other in zip(names, order, strict=True):
                known = name if name in values else found.get(name)
                if known is not None:
                    if known != other:
                        break
                    anchors += 1
                elif other in bound or other in taken or new.setdefault(name, other) != other:
                    break
            else:
                if (anchors or is_alone) and new and len(set(new.values())) == len(new) and new not in seen:
                    seen.append(new)
                    yield new
