"""Changes that no pattern describes: brackets, other numbers and names, and lines without effect.

Each yields what takes a node's place, and the words for its rule's sentence (rules.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from grader.source.syntax import names_in
from grader.verdict.explain.edits.patterns import called_name, is_signed_number
from grader.verdict.explain.edits.source_file import assigned_names, parameter_names, quote

SMALLEST_ORDINARY = 1e-2
"""A number below this one is there to keep a root or a division finite."""
MAX_UNKNOWN_SHAPES = 12
"""Variables of unknown shape up to which each may be confused with any other."""
MAX_UNREAD = 3
"""Parameters that a function does not read, up to which each may belong in the place of any other."""
RANKS = {"+": 1, "-": 1, "*": 2, "/": 2, "@": 2, "**": 3}
"""{operator: its rank: the highest is computed first}"""
NUMBER = re.compile(r"\(?-?[\d.e-]+\)?")
NodeChanges = Iterator[tuple[ast.AST, Mapping[str, str]]]


@dataclass(frozen=True)
class Known:
    """What a step may read.

    `shapes` are those of forward values and upstream gradients by name on one problem, () for a number; `sizes` are the
    names of whole numbers, `constants` the small numbers that the forward pass adds (1e-5). `related` are what the
    derivative of one forward line may be written with: the values that it reads and gives, and their gradients.

    Of a function that returns all gradients, `returned` are their names, `right` those that are right, `inner` the
    names of gradients on the way to them, and `forward` the values of the forward pass. `wrong` is the first wrong one
    of these gradients, "" where none is known, and None to take any changes that have been found already.
    """

    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    sizes: Sequence[str] = ()
    constants: Sequence[float] = ()
    returned: Sequence[str] = ()
    inner: Sequence[str] = ()
    right: Sequence[str] = ()
    forward: Sequence[str] = ()
    wrong: str | None = None
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
        read_too = self.known.related if self.step else ()  # a student may have left out the parameter with the factor
        self.factors = [n for n in dict.fromkeys((*self.parameters, *read_too)) if self.known.shapes.get(n)]
        loops = [each.target for each in ast.walk(self.function) if isinstance(each, ast.For)]
        self.counters = [each.id for each in loops if isinstance(each, ast.Name)]

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


def brackets_put_in(node: ast.AST, around: Around) -> NodeChanges:
    """Brackets around a part of an operation, where they change what is computed first."""
    parent, text = around.parents.get(id(node)), ast.unparse(node) if isinstance(node, ast.BinOp) else ""
    if not text or (isinstance(parent, ast.BinOp) and f"({text})" not in ast.unparse(parent)):
        return
    operands, signs = operands_and_signs(text)
    ranks = [0, *map(RANKS.__getitem__, signs), 0]  # of the operator in front of each operand
    for first, last in combinations(range(len(operands)), 2):
        inside, before, after = min(ranks[first + 1 : last + 1]), ranks[first], ranks[last + 1]
        is_odd = before == 3 and not all(map(NUMBER.fullmatch, operands[first : last + 1]))  # `h ** (2 * dy)`
        is_odd = is_odd or (after == 3 and inside == 2)  # nobody means `(a / b) ** 0.5` by `a / b ** 0.5`
        is_divisor = first > 0 and signs[first - 1] == "/" and inside == before
        if not is_odd and (before > inside or after > inside or is_divisor):
            texts = [*operands]
            texts[first], texts[last] = f"({texts[first]}", f"{texts[last]})"
            changed = " ".join(part for pair in zip(texts, [*signs, ""], strict=True) for part in pair)
            yield ast.parse(changed, mode="eval").body, {}


def operands_and_signs(text: str) -> tuple[list[str], list[str]]:
    """Those of an operation, in the order of the text, without what is in brackets."""
    operands, signs, depth = [""], list[str](), 0
    for word in text.split(" "):
        if depth == 0 and word in RANKS:
            signs.append(word)
            operands.append("")
        else:
            operands[-1] = f"{operands[-1]} {word}".strip()
            depth += sum(map(word.count, "([{")) - sum(map(word.count, ")]}"))
    return operands, signs


def other_numbers(node: ast.AST, around: Around) -> NodeChanges:
    """Numbers that one may be confused with: its opposite, the next ones, double, half; of small ones, the lesson's."""
    parent = around.parents.get(id(node))
    if not is_signed_number(node) or is_signed_number(parent):
        return
    value = ast.literal_eval(ast.unparse(node))
    kind, others = "number", [each for each in (-value, value + 1, value - 1, 2 * value, value / 2) if each]
    if 0 < value < SMALLEST_ORDINARY:
        kind, others = "small number", [*around.known.constants, 2 * value, value / 2]
    elif isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow) and parent.right is node:
        kind = "exponent"
        others += [value - 2, *([1 / value] if value in (2, 0.5) else [])]  # raised, not lowered
    elif isinstance(parent, ast.Compare) and isinstance(parent.ops[0], ast.Eq):  # no remainder is negative
        others = [value + 1, abs(value - 1)]
    elif not isinstance(parent, ast.BinOp):  # an axis, an index or a size
        others = [-value, value + 1, value - 1, 2 * value]
    elif isinstance(parent.op, ast.Mult | ast.Div):  # twice as much may be missing anywhere in a product
        others = [value + 1, value - 1]
    if kind == "number" and type(value) is int:
        others = [each for each in others if each == int(each)]
    for other in dict.fromkeys(each for each in others if each != value):
        yield ast.parse(repr(other), mode="eval").body, {"kind": kind, "number": quote(node)}
    for name in around.counters if isinstance(parent, ast.Subscript) else ():
        yield new_name(name), {"kind": kind, "number": quote(node)}


def einsum_letters(node: ast.AST, around: Around) -> NodeChanges:
    """Two neighbouring letters of `einsum`, exchanged."""
    parent = around.parents.get(id(node))
    if isinstance(node, ast.Constant) and isinstance(parent, ast.Call) and called_name(parent) == "einsum":
        text = str(node.value)
        for place in range(1, len(text)):
            pair = text[place - 1 : place + 1]
            if pair.isalpha():
                yield ast.Constant(text[: place - 1] + pair[::-1] + text[place + 1 :]), {"letters": pair}


def names_instead(node: ast.AST, around: Around) -> NodeChanges:
    """Another value in the place of a name: a similar one, one of its shape, or one that the forward line is about."""
    parent = around.parents.get(id(node))
    is_callee = isinstance(parent, ast.Call) and parent.func is node
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or is_callee:
        return
    name, own, shape = node.id, [*around.parameters, *around.local], around.shape_of(node.id)
    if name not in own:
        return
    word, begins = name.split("_")[0], name if len(name) > 1 else f"{name}_"
    others = [each for each in (*own, *around.known.shapes) if each.split("_")[0] == word or each.startswith(begins)]
    unknown = [each for each in around.local if around.shape_of(each) is None]
    if not around.step:
        others = own
    elif shape is not None:
        others += [each for each in (*around.local, *around.known.shapes) if around.shape_of(each) == shape]
        unknown = [each for each in unknown if each[0] == name[0] == "d"]  # gradients on the way
    if around.step and len(unknown) <= MAX_UNKNOWN_SHAPES + 1:
        others += unknown
    if name in around.parameters:
        others = [*around.unread, *others, *around.known.related]
    is_ratio = isinstance(getattr(parent, "op", None), ast.Div | ast.Sub)  # nobody means `x / x`
    operands = [getattr(each, "id", "") for each in ast.iter_child_nodes(parent)] if parent and is_ratio else []
    for other in dict.fromkeys(others):
        if other not in (name, around.step, *operands):
            yield new_name(other), {"name": name}
