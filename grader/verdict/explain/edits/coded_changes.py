"""Changes that no pattern describes: brackets, other numbers, names and sizes.

Each yields what takes a node's place, and the words for its rule's sentence (rules.py).
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from grader.source.syntax import names_in
from grader.verdict.explain.edits.patterns import GROUPS, called_name, is_module, is_signed_number
from grader.verdict.explain.edits.source_file import assigned_names, parameter_names, quote

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
MAX_OPERANDS = 10
"""Of an operation without brackets, up to which brackets are put into it."""
RANKED_OPERATORS: dict[type[ast.operator], tuple[str, int]] = {
    **{ast.Add: ("+", 1), ast.Sub: ("-", 1), ast.Mult: ("*", 2), ast.Div: ("/", 2), ast.MatMult: ("@", 2)},
    ast.Pow: ("**", 3),
}
"""{operator: (as it is written, its rank: the highest is computed first)}"""
BACKWARDS = re.compile(r"^([^=#]+?) ?=([+-])(?= )")
"""`dx =+ ...`, which assigns, and is no way to write anything else."""
NodeChanges = Iterator[tuple[ast.AST, Mapping[str, str]]]


@dataclass(frozen=True)
class Known:
    """What a step may read.

    `shapes` are those of forward values and upstream gradients by name on one problem, () for a number; `sizes` are the
    names of whole numbers, `masks` of the tensors of True and False; `constants` are the small numbers that the
    forward pass adds (1e-5). `related` are what the derivative of one forward line may be written with: the values that
    it reads and gives, and their gradients.

    Of a function that returns all gradients, `returned` are their names, `right` those that are right, `inner` the
    names of gradients on the way to them, and `forward` the values of the forward pass. `wrong` is the
    first wrong one of these gradients, "" where none is known, and None to take any changes that have been found
    already.
    """

    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    sizes: Sequence[str] = ()
    constants: Sequence[float] = ()
    returned: Sequence[str] = ()
    inner: Sequence[str] = ()
    right: Sequence[str] = ()
    forward: Sequence[str] = ()
    wrong: str | None = None
    masks: Sequence[str] = ()
    related: Sequence[str] = ()


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

    def shape_of(self, name: str) -> Sequence[int] | None:
        """The shape of a value by its name; a variable `dh` has the shape of `h`."""
        shapes = self.known.shapes
        if name in shapes and name not in self.local:
            return shapes[name]
        return shapes.get(name[1:]) if name.startswith("d") else shapes.get(name)


def new_name(name: str) -> ast.Name:
    """A name that is not in the student's code at that place."""
    made = ast.Name(id=name, ctx=ast.Load())
    made.is_new = True  # type: ignore[attr-defined]
    return made


# Lines and brackets --------------------------------------------------------------------------------------------------


def unused_values(node: ast.AST, _: Around) -> NodeChanges:
    """`p -= g` for the statement `p - g`, and `p.sub_(g)` for `p.sub(g)`."""
    match node:
        case ast.Expr(
            value=ast.BinOp(left=ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)) as left) as value
        ):
            target = ast.parse(f"{ast.unparse(left)} = 0").body[0].targets[0]  # type: ignore[attr-defined]
            yield ast.AugAssign(target, value.op, value.right), {"unchanged": name}
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver, attr=method)) as call):
            if not is_module(receiver) and not method.endswith("_"):
                in_place = ast.Attribute(receiver, f"{method}_", ast.Load())
                words = {"unchanged": quote(receiver)}
                yield ast.Expr(ast.Call(in_place, call.args, call.keywords)), words


def updates_written_backwards(node: ast.AST, _: Around) -> NodeChanges:
    """`+=` for `=+`."""
    found = BACKWARDS.match(written := getattr(node, "own_text", "")) if isinstance(node, ast.Assign) else None
    if found is not None:
        yield ast.parse(BACKWARDS.sub(r"\1 \2=", written)).body[0], {"sign": found[2]}


def brackets_put_in(node: ast.AST, around: Around) -> NodeChanges:
    """Brackets around a part of an operation, where they change what is computed first."""
    parent = around.parents.get(id(node))
    if not isinstance(node, ast.BinOp) or (isinstance(parent, ast.BinOp) and not needs_brackets(node, parent)):
        return
    operands, operators = operands_and_operators(node)
    ranks = [0, *(RANKED_OPERATORS[type(each)][1] for each in operators), 0]  # of the operator in front of each operand
    for first, last in combinations(range(min(len(operands), MAX_OPERANDS)), 2):
        inside, before, after = min(ranks[first + 1 : last + 1]), ranks[first], ranks[last + 1]
        if before == 3 and not all(map(is_signed_number, operands[first : last + 1])):
            continue
        divides = first > 0 and isinstance(operators[first - 1], ast.Div) and inside == before
        if before > inside or after > inside or divides:
            texts = [in_brackets(each) for each in operands]
            texts[first], texts[last] = f"({texts[first]}", f"{texts[last]})"
            signs = [*(RANKED_OPERATORS[type(each)][0] for each in operators), ""]
            text = " ".join(part for pair in zip(texts, signs, strict=True) for part in pair)
            yield ast.parse(text, mode="eval").body, {}


def operands_and_operators(node: ast.expr) -> tuple[list[ast.expr], list[ast.operator]]:
    """Those of an operation, in the order of the text, without what is in brackets."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in RANKED_OPERATORS:
        return [node], []
    left, right = (
        ([each], []) if needs_brackets(each, node) else operands_and_operators(each) for each in (node.left, node.right)
    )
    return [*left[0], *right[0]], [*left[1], node.op, *right[1]]


def needs_brackets(node: ast.expr, parent: ast.BinOp) -> bool:
    """Whether an operand is in brackets."""
    rank = RANKED_OPERATORS.get(type(parent.op), ("", 0))[1]
    if not isinstance(node, ast.BinOp):
        return False
    own = RANKED_OPERATORS.get(type(node.op), ("", 0))[1]
    return own < rank or (own == rank and (node is parent.right) != (rank == 3)) or 0 in (own, rank)


def in_brackets(node: ast.expr) -> str:
    """The text of an operand, in brackets unless it is a name, a number, a call or the like."""
    is_plain = isinstance(node, ast.Name | ast.Constant | ast.Attribute | ast.Call | ast.Subscript)
    return ast.unparse(node) if is_plain or is_signed_number(node) else f"({ast.unparse(node)})"


# Numbers -------------------------------------------------------------------------------------------------------------


def axes_in(node: ast.AST) -> list[ast.AST]:
    """Which parts of a call, or of `x.shape[2]`, say axes and not sizes."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=axis):
            return [axis]
        case ast.Call():
            found: list[ast.AST] = [each for each in node.keywords if each.arg in GROUPS["axis_keywords"]]
            name, arguments = called_name(node), list(node.args)
            if name in GROUPS["of_axes"]:
                written = (ast.Constant, ast.UnaryOp, ast.Tuple, ast.List)
                return found + [each for each in arguments if isinstance(each, written)]
            if name in GROUPS["axis_first"]:
                return found + [each for each in arguments[:2] if isinstance(each, (ast.Constant, ast.UnaryOp))][:1]
            return found + (arguments[1:][-1:] if name in GROUPS["axis_last"] else [])
    return []


def is_axis(node: ast.AST, around: Around) -> bool:
    parent = around.parents.get(id(node))
    while isinstance(parent, (ast.UnaryOp, ast.Tuple, ast.List, ast.keyword)):
        node, parent = parent, around.parents.get(id(parent))
    return parent is not None and any(node is each for each in axes_in(parent))


def other_numbers(node: ast.AST, around: Around) -> NodeChanges:
    """Numbers that one may be confused with: its opposite, the next ones, double, half; of small ones, the lesson's."""
    if not is_signed_number(node) or is_signed_number(around.parents.get(id(node))):
        return
    value = ast.literal_eval(ast.unparse(node))
    parent = around.parents.get(id(node))
    if 0 < value < SMALLEST_ORDINARY:
        kind, others = "small number", [*around.known.constants, 2 * value, value / 2]
    elif abs(value) > LARGEST_NUMBER:
        return
    elif is_axis(node, around):
        kind, others = "axis", [each for each in (-value, value + 1, value - 1) if type(value) is int]
    else:
        is_exponent = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow) and parent.right is node
        kind, others = "exponent" if is_exponent else "number", [-value, value + 1, value - 1, 2 * value, value / 2]
        others += [1 / value] if value in (2, 0.5) else []
    for other in dict.fromkeys(each for each in others if each != value and (each or kind == "axis")):
        yield ast.parse(repr(other), mode="eval").body, {"kind": kind, "number": quote(node)}


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


# Names ---------------------------------------------------------------------------------------------------------------


def names_instead(node: ast.AST, around: Around) -> NodeChanges:
    """Another value in the place of one name, wherever a line reads it, and two that change places in a line."""
    parent = around.parents.get(id(node))
    is_callee = isinstance(parent, ast.Call) and parent.func is node
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not is_callee:
        unread, related = (around.unread, around.known.related) if node.id in around.parameters else ((), ())
        for other in dict.fromkeys((*unread, *alternatives(node.id, around), *related)):
            if other not in (node.id, around.step) and not cancels(parent, other):
                yield new_name(other), {"names": f"`{node.id}`"}
    if not isinstance(node, (ast.Return, ast.Assign)):
        return
    shapes = around.known.shapes
    reads = Counter(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    for name in [name for name, count in reads.items() if count > 1][:MAX_REPLACED]:
        shape = list(shapes.get(name, shapes.get(around.step[1:], ())))
        others = [each for each, size in shapes.items() if shape and list(size) == shape and each != name]
        for other in others[:MAX_REPLACED]:
            yield Renamed({name: other}).visit(copy.deepcopy(node)), {"names": f"each `{name}`"}
    known = [name for name in reads if shapes.get(name)]
    pairs = [(a, b) for a, b in combinations(known, 2) if list(shapes[a]) == list(shapes[b])]
    for one, other in pairs[:MAX_REPLACED]:
        changed = Renamed({one: other, other: one}).visit(copy.deepcopy(node))
        yield changed, {"names": f"`{one}` and `{other}`"}


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
    operands: Sequence[ast.AST] = ()
    if isinstance(parent, ast.Tuple):
        operands = parent.elts
    elif isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod):
        operands = (parent.left, parent.right)
    return any(isinstance(each, ast.Name) and each.id == other for each in operands)


class Renamed(ast.NodeTransformer):
    """Other names in the places of some, wherever they are read."""

    def __init__(self, others: Mapping[str, str]) -> None:
        self._others = others

    def visit_Name(self, node: ast.Name) -> ast.Name:
        is_read = node.id in self._others and isinstance(node.ctx, ast.Load)
        return new_name(self._others[node.id]) if is_read else node
