"""Other lines made from a student's: rewritten ones with the same value, and wrong ones. Text only, without torch."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grader.defence.expressions import number_in, reduced, reduction_of, text, whole_number

MOST_REWRITTEN = 14
MOST_WRONG = 16
FEW = 5
"""Rewritten lines that are rewritten again."""
MOST_LENGTH = 130


@dataclass(frozen=True)
class Variant:
    """Another line. `kind` names the change, `words` say what it does."""

    kind: str
    code: str
    words: str = ""


Template = tuple[str, str, str]
"""(kind, code, words)"""


def rewritten(code: str, most: int = MOST_REWRITTEN, deep: bool = True) -> list[Variant]:
    """Lines that should have the same value and look different."""
    first = list(variants(code, equal_templates))
    found = {each.code: each for each in first}
    if deep:
        for each in first[:FEW]:
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
    return kept[: MOST_WRONG - len(extra)] + [each for each in kept[MOST_WRONG - len(extra) :] if each in extra]


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
            changed = ast.unparse(new) if parent is None else with_replaced(tree, parent, field, index, new)
            if changed != code and len(changed) <= MOST_LENGTH:
                yield Variant(kind, changed, words)


Place = tuple[ast.AST | None, str, int | None, ast.expr]


def child_places(root: ast.expr) -> Iterator[Place]:
    """Every expression below `root` with its place; not the function that is called."""
    for node in ast.walk(root):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and not (isinstance(node, ast.Call) and field == "func"):
                yield node, field, None, value
            elif isinstance(value, list):
                yield from ((node, field, i, each) for i, each in enumerate(value) if isinstance(each, ast.expr))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func, "value", None, node.func.value


def with_replaced(tree: ast.Expression, parent: ast.AST, field: str, index: int | None, new: ast.expr) -> str:
    holder = getattr(parent, field)
    old = holder if index is None else holder[index]
    if index is None:
        setattr(parent, field, new)
    else:
        holder[index] = new
    try:
        return ast.unparse(tree.body)
    finally:
        if index is None:
            setattr(parent, field, old)
        else:
            holder[index] = old


def equal_templates(node: ast.expr) -> Iterator[Template]:
    """Texts with the value of `node`."""
    found = reduction_of(node)
    if found is not None and found.axis is not None:
        value, axis, keep = found.value, found.axis, found.keepdim
        if found.name == "sum":
            yield "mean", f"{reduced('mean', value, axis, keep)} * {value}.shape[{axis}]", ""
            last = f"{value}.cumsum({axis})"
            yield "last", f"{last}.narrow({axis}, -1, 1)" if keep else f"{last}.select({axis}, -1)", ""
        else:
            yield "sum", f"{reduced('sum', value, axis, keep)} / {value}.shape[{axis}]", ""
        other = f"{reduced(found.name, value, axis, False)}.unsqueeze({axis})"
        yield "keepdim", other if keep else f"{reduced(found.name, value, axis, True)}.squeeze({axis})", ""
        if axis == 0 and not keep and found.name == "sum":
            yield "ones", f"torch.ones_like({value}[:, 0]) @ {value}", ""
    elif found is not None and found.name == "sum":
        yield "all", f"{found.value}.mean() * {found.value}.numel()", ""
    if isinstance(node, ast.BinOp):
        left, right, power = text(node.left), text(node.right), number_in(node.right)
        if isinstance(node.op, ast.MatMult):
            yield "transposed", f"({right}.mT @ {left}.mT).mT", ""
            yield "outer", f"({left}.unsqueeze(-1) * {right}.unsqueeze(-3)).sum(-2)", ""
            yield "negative", f"-({left} @ -{right})", ""
        elif isinstance(node.op, ast.Mult):
            yield "swapped", f"{right} * {left}", ""
            yield "negative", f"-({left} * -{right})", ""
            yield "half", f"2 * {left} * {right} / 2", ""
        elif isinstance(node.op, ast.Add):
            yield "swapped", f"{right} + {left}", ""
            yield "negative", f"{left} - -{right}", ""
        elif isinstance(node.op, ast.Sub):
            yield "swapped", f"-({right} - {left})", ""
            yield "negative", f"-{right} + {left}", ""
            square = node.right
            if isinstance(square, ast.BinOp) and isinstance(square.op, ast.Pow) and number_in(node.left) == 1:
                base = text(square.left)
                if number_in(square.right) == 2:
                    yield "factors", f"(1 - {base}) * (1 + {base})", ""
        elif isinstance(node.op, ast.Div):
            yield "factor", f"{left} * (1 / {right})", ""
            yield "first", f"1 / {right} * {left}", ""
            yield "half", f"{left} / (2 * {right}) * 2", ""
        elif isinstance(node.op, ast.Pow) and power is not None:
            if power == 2:
                yield "product", f"{left} * {left}", ""
            yield "split", f"{left} ** {power + 1:g} / {left}", ""
            if power < 0:
                yield "below", f"1 / {left} ** {-power:g}", ""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and number_in(node) is None:
        yield "from zero", f"0 - {text(node.operand)}", ""
        yield "factor", f"{text(node.operand)} * -1", ""
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield "mT", f"{text(node.value)}.mT", ""
        yield "transpose", f"{text(node.value)}.transpose(0, 1)", ""
    if is_call(node, "transpose") and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield "mT", f"{text(node.func.value)}.mT", ""


def is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name


OPPOSITE = {"any": "all", "all": "any", "maximum": "minimum", "minimum": "maximum", "ceil": "floor", "floor": "ceil"}
COMPARISONS: dict[type[ast.cmpop], str] = {ast.Gt: "<", ast.Lt: ">", ast.GtE: "<", ast.LtE: ">", ast.Eq: "!="}


def wrong_comparisons(node: ast.expr) -> Iterator[Template]:
    """Texts with one mistake in place of a comparison, of a function that has an opposite, or of the first entry."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and (other := COMPARISONS.get(type(node.ops[0]))):
        yield "comparison", f"{text(node.left)} {other} {text(node.comparators[0])}", f"it compares with `{other}`"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        changed = copy.deepcopy(node)
        assert isinstance(changed.func, ast.Attribute)
        if other := OPPOSITE.get(node.func.attr):
            changed.func.attr = other
            yield "opposite", ast.unparse(changed), f"`{other}` takes the place of `{node.func.attr}`"
        elif node.func.attr == "abs" and not (node.args or node.keywords):
            yield "abs", text(node.func.value), "`abs` is left out"
        elif node.func.attr == "abs" and len(node.args) == 1:
            yield "abs", text(node.args[0]), "`abs` is left out"
    if isinstance(node, ast.Subscript) and whole_number(node.slice) == 0 and isinstance(node.value, ast.Name):
        yield "entry", f"{node.value.id}[-1]", f"the last entry of `{node.value.id}` takes the place of the first"


def wrong_templates(node: ast.expr) -> Iterator[Template]:
    """Texts with one mistake in place of `node`."""
    found = reduction_of(node)
    if found is not None:
        value, axis = found.value, found.axis
        yield "no_sum", value, f"the {found.name} is left out"
        if axis is not None:
            other = 1 - axis if axis in (0, 1) else -2 if axis == -1 else 0
            yield "axis", reduced(found.name, value, other, found.keepdim), f"it runs over axis {other}"
            kept = "keepdim is left out" if found.keepdim else "keepdim=True is added"
            yield "keepdim", reduced(found.name, value, axis, not found.keepdim), kept
            instead = "mean" if found.name == "sum" else "sum"
            yield instead, reduced(instead, value, axis, found.keepdim), f"a {instead} in place of the {found.name}"
    if isinstance(node, ast.BinOp):
        left, right, power = text(node.left), text(node.right), number_in(node.right)
        if isinstance(node.op, ast.MatMult):
            yield "matmul_swapped", f"{right} @ {left}", "the factors of the matrix product are swapped"
            yield "transposed", f"({left} @ {right}).mT", "the result is transposed"
        elif isinstance(node.op, ast.Mult):
            yield "factor_dropped", left, f"the factor `{ast.unparse(node.right)}` is left out"
            yield "factor_dropped", right, f"the factor `{ast.unparse(node.left)}` is left out"
        elif isinstance(node.op, ast.Add):
            yield "minus", f"{left} - {right}", "a minus takes the place of a plus"
            yield "term_dropped", left, f"the term `{ast.unparse(node.right)}` is left out"
        elif isinstance(node.op, ast.Sub):
            yield "plus", f"{left} + {right}", "a plus takes the place of a minus"
            yield "term_dropped", left, f"the term `{ast.unparse(node.right)}` is left out"
        elif isinstance(node.op, ast.Div):
            yield "divisor_dropped", left, f"the division by `{ast.unparse(node.right)}` is left out"
            yield "times", f"{left} * {right}", "a product takes the place of the division"
        elif isinstance(node.op, ast.Pow) and power is not None:
            yield "exponent", f"{left} ** {power + 1:g}", "the exponent is larger by 1"
            yield "exponent", f"{left} ** {power - 1:g}", "the exponent is smaller by 1"
    yield from wrong_comparisons(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and number_in(node) is None:
        yield "sign", text(node.operand), "the minus is left out"
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        yield "not_transposed", text(node.value), f"`{ast.unparse(node.value)}` is not transposed"
    if is_call(node, "transpose") and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield "not_transposed", text(node.func.value), f"`{ast.unparse(node.func.value)}` is not transposed"
