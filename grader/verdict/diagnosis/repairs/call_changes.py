"""Changes of calls: functions applied once too often, sums and means, the small number before a root."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from grader.verdict.diagnosis.repairs.arithmetic_changes import SMALLEST_ORDINARY, ArithmeticChange
from grader.verdict.diagnosis.repairs.source_file import called_name, is_module, operand_of, quote

UNARY = {"exp", "log", "tanh", "sqrt", "rsqrt", "square", "abs", "reciprocal", "sigmoid", "softmax", "neg", "sign"}
UNARY |= {"sin", "cos", "tan", "sinh", "cosh", "atan", "arctan", "asinh", "erf"}
UNARY |= {"clamp", "clamp_min", "clamp_max", "clip"}
UNARY |= {"log_softmax", "negative", "relu", "log1p", "expm1", "exp_", "log_", "tanh_", "sqrt_", "square_", "neg_"}
ROUNDING = {"round", "round_", "floor", "ceil", "trunc", "fix"}
OTHER_REDUCTION = {"sum": "mean", "mean": "sum"}
EXPONENTIALS: dict[str, tuple[int, ...]] = {"softmax": (1,), "log_softmax": (1,), "sigmoid": (), "exp": (), "tanh": ()}
"""{function: its arguments}: each is taken for another."""
OPPOSITES = {"min": "max", "amin": "amax", "argmin": "argmax", "max": "min", "amax": "amin", "argmax": "argmin"}
ROOTS = {"sqrt", "rsqrt", "sqrt_", "rsqrt_", "log"}
MAX_FACTORS = 8
"""Factors of a product among which two sums are looked for."""


def unary_calls(node: ast.AST) -> Iterator[ArithmeticChange]:
    """Without a function of one argument, and without rounding."""
    if called_name(node) in ROUNDING and isinstance(node, ast.Call) and (operand := operand_of(node)) is not None:
        yield "rounded", quote(node), "", operand
    if isinstance(node, ast.Call) and (name := called_name(node)) in UNARY:
        operand = operand_of(node)
        if operand is not None:
            yield "function", name, quote(operand), operand


def other_functions(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`softmax(1)` for `sigmoid()` or `exp()`, `max(1)` for `min(1)`, and so on."""
    name = called_name(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and name in OPPOSITES:
        opposite = ast.Attribute(node.func.value, OPPOSITES[name], ast.Load())
        yield "other_function", name, "", ast.Call(opposite, node.args, node.keywords)
    if isinstance(node, ast.Call) and name in EXPONENTIALS and (operand := operand_of(node)) is not None:
        for other, arguments in EXPONENTIALS.items():
            if other != name:
                axis: list[ast.expr] = [ast.Constant(axis) for axis in arguments]
                yield "other_function", name, "", ast.Call(ast.Attribute(operand, other, ast.Load()), axis, [])


def sums_multiplied(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`(a * b).sum(1)` for `a.sum(1) * b.sum(1)`, and for `a.sum(1) * b`."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return
    for call, other in ((node.left, node.right), (node.right, node.left)):
        name = called_name(call)
        if not isinstance(call, ast.Call) or name not in OTHER_REDUCTION or (first := operand_of(call)) is None:
            continue
        arguments = call.args[1:] if call.args and call.args[0] is first else call.args
        second = operand_of(other) if isinstance(other, ast.Call) and called_name(other) == name else None
        kind = "one_factor_summed" if second is None else "sums_multiplied"
        product = ast.BinOp(first, ast.Mult(), other if second is None else second)
        call_of_both = ast.Call(ast.Attribute(product, name, ast.Load()), arguments, call.keywords)
        yield kind, name, quote(first), call_of_both
    yield from sums_among_factors(node)


def sums_among_factors(node: ast.BinOp) -> Iterator[ArithmeticChange]:
    """`c * (a * b).sum(1)` for `c * a.sum(1) * b.sum(1)`."""
    factors = last_factors(node)
    written = written_reduction(factors[-1])
    for place, each in enumerate(factors[:-1] if written and 2 < len(factors) <= MAX_FACTORS else ()):
        if written_reduction(each) == written and isinstance(each, ast.Call) and isinstance(factors[-1], ast.Call):
            first, second = operand_of(each), operand_of(factors[-1])
            if first is None or second is None:
                continue
            both = ast.Attribute(ast.BinOp(first, ast.Mult(), second), called_name(each), ast.Load())
            kept = [*factors[:place], ast.Call(both, each.args, each.keywords), *factors[place + 1 : -1]]
            product = kept[0]
            for factor in kept[1:]:
                product = ast.BinOp(product, ast.Mult(), factor)
            yield "sums_multiplied", called_name(each), "", product


def last_factors(node: ast.expr) -> list[ast.expr]:
    """`[a, b, c]` of `a * b * c`; of a longer product only the last ones."""
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and len(found) < MAX_FACTORS:
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def multiplies_sums(code: ast.AST) -> bool:
    """Whether two sums, or two means, are multiplied somewhere in the code."""
    return any(kind == "sums_multiplied" for node in ast.walk(code) for kind, *_ in sums_multiplied(node))


def small_numbers(node: ast.AST, constants: Sequence[float]) -> Iterator[ArithmeticChange]:
    """The small number of the forward pass, added before a root, a power or a division; or in place of another one."""
    if isinstance(node, ast.Constant) and type(node.value) is float and 0 < node.value < SMALLEST_ORDINARY:
        for constant in (each for each in constants if each != node.value):
            yield "other_small_number", quote(node), "", ast.Constant(constant)
    yield from standard_deviations(node, constants)
    operand, with_operand = operand_of_a_root(node)
    if operand is None or (isinstance(operand, ast.BinOp) and has_small_number(operand)):
        return
    for constant in constants:
        new = ast.BinOp(operand, ast.Add(), ast.Constant(constant))
        yield "small_number", quote(operand), f"{constant:g}".replace("e-0", "e-"), with_operand(new)


def standard_deviations(node: ast.AST, constants: Sequence[float]) -> Iterator[ArithmeticChange]:
    """`(h.var(0, unbiased=False) + 1e-5) ** 0.5` for `h.std(0)`, and the same with Bessel's correction."""
    if not (isinstance(node, ast.Call) and called_name(node) == "std" and isinstance(node.func, ast.Attribute)):
        return
    kept = [each for each in node.keywords if each.arg not in ("unbiased", "correction")]
    for is_unbiased in (False, True):
        keywords = [*kept, ast.keyword("unbiased", ast.Constant(is_unbiased))]
        variance = ast.Call(ast.Attribute(node.func.value, "var", ast.Load()), node.args, keywords)
        for constant in constants:
            root = ast.BinOp(ast.BinOp(variance, ast.Add(), ast.Constant(constant)), ast.Pow(), ast.Constant(0.5))
            yield "standard_deviation", quote(node), "", root


def has_small_number(node: ast.BinOp) -> bool:
    numbers = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant))
    return any(type(value) is float and abs(value) < SMALLEST_ORDINARY for value in numbers)


def operand_of_a_root(node: ast.AST) -> tuple[ast.expr | None, Callable[[ast.expr], ast.expr]]:
    """What a root, a power that is not whole, or a division is of, and the same node of another operand."""
    match node:
        case ast.BinOp(op=ast.Pow()):
            return node.left, lambda new: ast.BinOp(new, ast.Pow(), node.right)
        case ast.BinOp(op=ast.Div()):
            return node.right, lambda new: ast.BinOp(node.left, ast.Div(), new)
        case ast.Call() if called_name(node) == "pow" and (operand := operand_of(node)) is not None:
            return operand, lambda new: ast.BinOp(new, ast.Pow(), node.args[-1]) if node.args else new
        case ast.Call(func=function) if called_name(node) in ROOTS and (operand := operand_of(node)) is not None:
            if node.args and node.args[0] is operand:
                return operand, lambda new: ast.Call(function, [new, *node.args[1:]], node.keywords)
            if isinstance(function, ast.Attribute):
                return operand, lambda new: ast.Call(
                    ast.Attribute(new, function.attr, ast.Load()), node.args, node.keywords
                )
    return None, lambda new: new


def maxima(node: ast.AST) -> Iterator[ArithmeticChange]:
    """The maximum of each row for that of all elements, and a sum for a maximum."""
    largest = node.value if isinstance(node, ast.Attribute) and node.attr == "values" else node
    match largest:
        case ast.Call(func=ast.Attribute(value=of, attr="max" | "amax"), args=[_, *_]) if not is_module(of):
            total = ast.Attribute(of, "sum", ast.Load())
            yield "max_for_sum", "", "", ast.Call(total, largest.args, largest.keywords)
    if isinstance(node, ast.Call) and called_name(node) in ("max", "amax") and not node.keywords:
        operand = operand_of(node)
        if isinstance(node.func, ast.Attribute) and operand is not None and node.args in ([], [operand]):
            axis: list[ast.expr] = [ast.Constant(1), ast.Constant(True)]
            yield "max_of_all", quote(operand), "", ast.Call(ast.Attribute(operand, "amax", ast.Load()), axis, [])


class Everywhere(ast.NodeTransformer):
    """Every reduction written as `name(written)`, changed in the same way: `mean(0)` for `mean()`."""

    def __init__(self, written: str, axis: str, keep: bool) -> None:
        self._written, self._axis, self._keep = written, axis, keep

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if written_reduction(node) != self._written or not isinstance(node.func, ast.Attribute):
            return node
        keywords = [ast.keyword("keepdim", ast.Constant(True))] if self._keep else []
        return ast.Call(node.func, [ast.parse(self._axis, mode="eval").body], keywords)


def written_reduction(node: ast.AST) -> str:
    """A sum or mean without what it is of: `mean(1, keepdim=True)`; "" for anything else."""
    if not (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called_name(node) in OTHER_REDUCTION
    ):
        return ""
    if is_module(node.func.value):
        return ""
    return ast.unparse(ast.Call(ast.Name(called_name(node), ast.Load()), node.args, node.keywords))


def reductions_everywhere(node: ast.AST) -> Iterator[ArithmeticChange]:
    """Another axis in all of several equal reductions of one statement."""
    if not isinstance(node, ast.stmt) or isinstance(node, (ast.For, ast.If, ast.FunctionDef, ast.While, ast.With)):
        return
    counts = Counter(filter(None, map(written_reduction, ast.walk(node))))
    for written in (written for written, count in counts.items() if count > 1):
        for axis in ("0", "1"):
            for keep in (False, True):
                changed = Everywhere(written, axis, keep).visit(copy.deepcopy(node))
                yield "axis_everywhere", written, axis, changed


def reductions(node: ast.AST) -> Iterator[ArithmeticChange]:
    """A sum or mean over another axis, with or without keepdim, one for the other, or none."""
    if not (isinstance(node, ast.Call) and called_name(node) in OTHER_REDUCTION):
        return
    name, operand = called_name(node), operand_of(node)
    if operand is None:
        return
    front = [operand] if node.args and node.args[0] is operand else []
    axes = node.args[len(front) :]
    keywords = {k.arg: k.value for k in node.keywords}
    others = [k for k in node.keywords if k.arg not in ("dim", "axis", "keepdim", "keepdims")]
    given = axes[0] if axes else next((k.value for k in node.keywords if k.arg in ("dim", "axis")), None)
    flags = [keywords.get("keepdim"), keywords.get("keepdims"), *axes[1:2]]
    kept = any(isinstance(flag, ast.Constant) and flag.value is True for flag in flags)

    def reduced(axis: ast.expr | None, keep: bool, function: ast.expr = node.func) -> ast.expr:
        arguments = [*front, *([axis] if axis is not None else [])]
        keep_axis = [ast.keyword("keepdim", ast.Constant(True))] if keep and axis is not None else []
        return ast.Call(function, arguments, [*others, *keep_axis])

    if given is not None:
        yield "keepdim", name, "kept" if kept else "lost", reduced(given, not kept)
    written_axis = ast.unparse(given) if given is not None else ""
    for axis in ("0", "1", "-1", *(("(0, 1)",) if isinstance(given, ast.Tuple) else ())):
        if axis != written_axis:
            for keep in (kept, not kept):
                kind = "axis" if given is not None else "one_axis"
                yield kind, name, axis, reduced(ast.parse(axis, mode="eval").body, keep)
    if isinstance(node.func, ast.Attribute):
        other = OTHER_REDUCTION[name]
        yield "mean_or_sum", name, other, reduced(given, kept, ast.Attribute(node.func.value, other, ast.Load()))
    yield "reduction", name, quote(operand), operand
