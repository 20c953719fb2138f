"""Other lines made from a student's: rewritten ones with the same value, and wrong ones. Text only, without torch."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grader.defence.expressions import (
    Reduction,
    number_in,
    reduction_code,
    reduction_of,
    replace_child,
    text,
    whole_number,
)

MAX_REWRITTEN = 14
MAX_CHANGED_LINES = 16
MAX_CHANGED_TWICE = 5
"""Rewritten lines that are rewritten again."""
MAX_CHANGED_LINE_CHARACTERS = 130


@dataclass(frozen=True)
class Variant:
    """Another line. `kind` names the change, `words` say what it does."""

    kind: str
    code: str
    words: str = ""


Template = tuple[str, str, str]
"""(kind, code, words)"""


def equal_versions(code: str, most: int = MAX_REWRITTEN, deep: bool = True) -> list[Variant]:
    """Lines that should have the same value and look different."""
    first = list(variants(code, equal_templates))
    found = {each.code: each for each in first}
    if deep:
        for each in first[:MAX_CHANGED_TWICE]:
            for other in variants(each.code, equal_templates):
                found.setdefault(other.code, other)
    found.pop(code, None)
    return list(found.values())[:most]


def wrong_versions(code: str, names: Sequence[str]) -> list[Variant]:
    """Lines with one mistake each; at the end those that are right for some sizes only."""
    found = {each.code: each for each in variants(code, wrong_templates)}
    whole = f"({code})"
    extra = [Variant("sign", f"-{whole}", "the sign is flipped"), Variant("twice", f"2 * {whole}", "it is doubled")]
    for name in names:
        words = f"it is multiplied by the number of rows of `{name}` and divided by its number of columns"
        extra.append(Variant("ratio", f"{whole} * {name}.shape[0] / {name}.shape[-1]", words))
    for each in extra:
        found.setdefault(each.code, each)
    found.pop(code, None)
    kept = list(found.values())
    return kept[: MAX_CHANGED_LINES - len(extra)] + [
        each for each in kept[MAX_CHANGED_LINES - len(extra) :] if each in extra
    ]


def variants(code: str, templates: Callable[[ast.expr], Iterator[Template]]) -> Iterator[Variant]:
    """The line with one of its parts replaced, for every part and template. None unless the text is an expression."""
    try:
        tree = ast.parse(code, mode="eval")
    except (SyntaxError, ValueError, RecursionError):
        return
    places = [(None, "", None, tree.body), *child_places(tree.body)]
    for parent, field, index, node in places:
        for kind, part, words in templates(node):
            try:
                new = ast.parse(part, mode="eval").body
            except SyntaxError:
                continue
            changed = ast.unparse(new) if parent is None else text_with(tree, parent, field, index, new)
            if changed != code and len(changed) <= MAX_CHANGED_LINE_CHARACTERS:
                yield Variant(kind, changed, words)


ExpressionPlace = tuple[ast.AST | None, str, int | None, ast.expr]


def child_places(root: ast.expr) -> Iterator[ExpressionPlace]:
    """Every expression below `root` with its place; not the function that is called."""
    for node in ast.walk(root):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and not (isinstance(node, ast.Call) and field == "func"):
                yield node, field, None, value
            elif isinstance(value, list):
                yield from ((node, field, i, each) for i, each in enumerate(value) if isinstance(each, ast.expr))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func, "value", None, node.func.value


def text_with(tree: ast.Expression, parent: ast.AST, field: str, index: int | None, new: ast.expr) -> str:
    old = replace_child(parent, field, index, new)
    try:
        return ast.unparse(tree.body)
    finally:
        replace_child(parent, field, index, old)


EQUAL_OPERATIONS: dict[type[ast.operator], Sequence[tuple[str, str]]] = {
    ast.MatMult: (
        ("transposed", "({right}.mT @ {left}.mT).mT"),
        ("outer", "({left}.unsqueeze(-1) * {right}.unsqueeze(-3)).sum(-2)"),
        ("negative", "-({left} @ -{right})"),
    ),
    ast.Mult: (
        ("swapped", "{right} * {left}"),
        ("negative", "-({left} * -{right})"),
        ("half", "2 * {left} * {right} / 2"),
    ),
    ast.Add: (("swapped", "{right} + {left}"), ("negative", "{left} - -{right}")),
    ast.Sub: (("swapped", "-({right} - {left})"), ("negative", "-{right} + {left}")),
    ast.Div: (
        ("factor", "{left} * (1 / {right})"),
        ("first", "1 / {right} * {left}"),
        ("half", "{left} / (2 * {right}) * 2"),
    ),
}
"""{an operation: (kind, code) with the same value, for any operands}"""


def equal_templates(node: ast.expr) -> Iterator[Template]:
    """Texts with the value of `node`."""
    match node:
        case ast.BinOp():
            equal = equal_operations(node)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if number_in(node) is None:
            equal = [("from zero", f"0 - {text(operand)}"), ("factor", f"{text(operand)} * -1")]
        case ast.Attribute(value=matrix, attr="T"):
            equal = [("mT", f"{text(matrix)}.mT"), ("transpose", f"{text(matrix)}.transpose(0, 1)")]
        case ast.Call(func=ast.Attribute(value=matrix, attr="transpose")):
            equal = [("mT", f"{text(matrix)}.mT")]
        case _:
            found = reduction_of(node)
            equal = equal_reductions(found) if found is not None else []
    for kind, code in equal:
        yield kind, code, ""


def equal_reductions(found: Reduction) -> list[tuple[str, str]]:
    """(kind, code) with the value of a sum or mean."""
    value, axis, keep = found.value, found.axis, found.keepdim
    if axis is None:
        return [("all", f"{value}.mean() * {value}.numel()")] if found.name == "sum" else []
    size = f"{value}.shape[{axis}]"
    kept, dropped = reduction_code(found.name, value, axis, True), reduction_code(found.name, value, axis, False)
    keepdim = ("keepdim", f"{dropped}.unsqueeze({axis})" if keep else f"{kept}.squeeze({axis})")
    if found.name == "mean":
        return [("sum", f"{reduction_code('sum', value, axis, keep)} / {size}"), keepdim]
    last = f"{value}.cumsum({axis})"
    equal = [
        ("mean", f"{reduction_code('mean', value, axis, keep)} * {size}"),
        ("last", f"{last}.narrow({axis}, -1, 1)" if keep else f"{last}.select({axis}, -1)"),
        keepdim,
    ]
    if axis == 0 and not keep:
        equal.append(("ones", f"torch.ones_like({value}[:, 0]) @ {value}"))
    return equal


def equal_operations(node: ast.BinOp) -> list[tuple[str, str]]:
    """(kind, code) with the value of an operation."""
    left, right, power = text(node.left), text(node.right), number_in(node.right)
    equal = [(kind, code.format(left=left, right=right)) for kind, code in EQUAL_OPERATIONS.get(type(node.op), ())]
    if isinstance(node.op, ast.Sub) and number_in(node.left) == 1:
        match node.right:
            case ast.BinOp(left=base, op=ast.Pow(), right=exponent) if number_in(exponent) == 2:
                equal.append(("factors", f"(1 - {text(base)}) * (1 + {text(base)})"))
    if isinstance(node.op, ast.Pow) and power is not None:
        if power == 2:
            equal.append(("product", f"{left} * {left}"))
        equal.append(("split", f"{left} ** {power + 1:g} / {left}"))
        if power < 0:
            equal.append(("below", f"1 / {left} ** {-power:g}"))
    return equal


OPPOSITE = {"any": "all", "all": "any", "maximum": "minimum", "minimum": "maximum", "ceil": "floor", "floor": "ceil"}
OPPOSITE_COMPARISONS: dict[type[ast.cmpop], str] = {ast.Gt: "<", ast.Lt: ">", ast.GtE: "<", ast.LtE: ">", ast.Eq: "!="}


WRONG_OPERATIONS: dict[type[ast.operator], Sequence[Template]] = {
    ast.MatMult: (
        ("matmul_swapped", "{right} @ {left}", "the factors of the matrix product are swapped"),
        ("transposed", "({left} @ {right}).mT", "the result is transposed"),
    ),
    ast.Mult: (
        ("factor_dropped", "{left}", "the factor `{second}` is left out"),
        ("factor_dropped", "{right}", "the factor `{first}` is left out"),
    ),
    ast.Add: (
        ("minus", "{left} - {right}", "a minus takes the place of a plus"),
        ("term_dropped", "{left}", "the term `{second}` is left out"),
    ),
    ast.Sub: (
        ("plus", "{left} + {right}", "a plus takes the place of a minus"),
        ("term_dropped", "{left}", "the term `{second}` is left out"),
    ),
    ast.Div: (
        ("divisor_dropped", "{left}", "the division by `{second}` is left out"),
        ("times", "{left} * {right}", "a product takes the place of the division"),
    ),
}
"""{an operation: the same with one mistake}; `first` and `second` are the operands without brackets"""


def wrong_templates(node: ast.expr) -> Iterator[Template]:
    """Texts with one mistake in place of `node`."""
    match node:
        case ast.BinOp():
            yield from wrong_operations(node)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if number_in(node) is None:
            yield "sign", text(operand), "the minus is left out"
        case (
            ast.Attribute(value=matrix, attr="T" | "mT") | ast.Call(func=ast.Attribute(value=matrix, attr="transpose"))
        ):
            yield "not_transposed", text(matrix), f"`{ast.unparse(matrix)}` is not transposed"
        case ast.Call(func=ast.Attribute() as method):
            found = reduction_of(node)
            yield from wrong_reductions(found) if found is not None else wrong_calls(node, method)
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if other := OPPOSITE_COMPARISONS.get(
            type(operator)
        ):
            yield "comparison", f"{text(left)} {other} {text(right)}", f"it compares with `{other}`"
        case ast.Subscript(value=ast.Name(id=name), slice=index) if whole_number(index) == 0:
            yield "entry", f"{name}[-1]", f"the last entry of `{name}` takes the place of the first"


def wrong_reductions(found: Reduction) -> Iterator[Template]:
    value, axis, keep = found.value, found.axis, found.keepdim
    yield "no_sum", value, f"the {found.name} is left out"
    if axis is None:
        return
    other = 1 - axis if axis in (0, 1) else -2 if axis == -1 else 0
    yield "axis", reduction_code(found.name, value, other, keep), f"it runs over axis {other}"
    yield (
        "keepdim",
        reduction_code(found.name, value, axis, not keep),
        f"keepdim{' is left out' if keep else '=True is added'}",
    )
    instead = "mean" if found.name == "sum" else "sum"
    yield instead, reduction_code(instead, value, axis, keep), f"a {instead} in place of the {found.name}"


def wrong_operations(node: ast.BinOp) -> Iterator[Template]:
    left, right, power = text(node.left), text(node.right), number_in(node.right)
    first, second = ast.unparse(node.left), ast.unparse(node.right)
    for kind, code, words in WRONG_OPERATIONS.get(type(node.op), ()):
        yield kind, code.format(left=left, right=right), words.format(first=first, second=second)
    if isinstance(node.op, ast.Pow) and power is not None:
        yield "exponent", f"{left} ** {power + 1:g}", "the exponent is larger by 1"
        yield "exponent", f"{left} ** {power - 1:g}", "the exponent is smaller by 1"


def wrong_calls(node: ast.Call, method: ast.Attribute) -> Iterator[Template]:
    """A call of a function that has an opposite, and of `abs`."""
    if other := OPPOSITE.get(method.attr):
        opposite = ast.Call(ast.Attribute(method.value, other), node.args, node.keywords)
        yield "opposite", ast.unparse(opposite), f"`{other}` takes the place of `{method.attr}`"
    elif method.attr == "abs" and not (node.args or node.keywords):
        yield "abs", text(method.value), "`abs` is left out"
    elif method.attr == "abs" and len(node.args) == 1:
        yield "abs", text(node.args[0]), "`abs` is left out"
