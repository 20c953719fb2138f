"""Changes of what is grouped together or confused: brackets around longer sums, two names, a factor inside a sum."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from grader.verdict.diagnosis.repairs.arithmetic_changes import SUM_OPERATORS, ArithmeticChange
from grader.verdict.diagnosis.repairs.call_changes import OTHER_REDUCTION
from grader.verdict.diagnosis.repairs.source_file import called_name, operand_of, quote

MAX_EXCHANGED_PAIRS = 10
"""Pairs of names that are exchanged in one statement."""
HALF_PRECISION = {"half", "bfloat16", "float16"}
WHOLE_NUMBERS = {"int", "long", "short", "int32", "int64"}


def mixed_up(
    node: ast.AST, parameters: Sequence[str], shapes: Mapping[str, Sequence[int]]
) -> Iterator[ArithmeticChange]:
    """All changes of this module; `parameters` are the function's, `shapes` those of the lesson's values by name."""
    yield from powers_of_sums(node)
    yield from factors_of_longer_sums(node)
    yield from rounded_values(node)
    yield from exchanged_names(node, shapes)
    yield from sums_without_a_factor(node, [name for name in parameters if shapes.get(name)])


def powers_of_sums(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`(var + 1e-5) ** -1.5` for `var + 1e-5**-1.5` and for `var**-1.5 + 1e-5`, also at the end of a product."""
    match node:
        case ast.BinOp(left=ast.BinOp(left=base, op=ast.Pow(), right=exponent), op=ast.Add() | ast.Sub(), right=other):
            whole = ast.BinOp(base, node.op, other)
        case ast.BinOp(left=other, op=ast.Add() | ast.Sub(), right=ast.BinOp(left=base, op=ast.Pow(), right=exponent)):
            whole = ast.BinOp(other, node.op, base)
        case _:
            return
    yield "part_raised", quote(base), quote(exponent), ast.BinOp(whole, ast.Pow(), exponent)
    if whole.right is base and isinstance(whole.left, ast.BinOp) and isinstance(whole.left.op, ast.Mult):
        product, factor = whole.left.left, whole.left.right
        power = ast.BinOp(ast.BinOp(factor, whole.op, base), ast.Pow(), exponent)
        yield "part_raised", quote(base), quote(exponent), ast.BinOp(product, ast.Mult(), power)


def factors_of_longer_sums(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`s * (a - b - c)` for `s * a - b - c`, which multiplies only the first of three terms or more."""
    terms: list[tuple[ast.operator, ast.expr]] = []
    first: ast.AST = node
    while isinstance(first, ast.BinOp) and isinstance(first.op, SUM_OPERATORS):
        terms.append((first.op, first.right))
        first = first.left
    if len(terms) < 2 or not isinstance(first, ast.BinOp):
        return
    splits = list(factor_and_rest(first))
    if isinstance(first.op, ast.Mult):
        splits.insert(1, (first.right, first.left))
    for factor, total in splits:
        for operator, term in reversed(terms):
            total = ast.BinOp(total, operator, term)
        yield "first_term_multiplied", quote(first), quote(factor), ast.BinOp(factor, ast.Mult(), total)


def factor_and_rest(product: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """`(a / n, n * b)` and `(a / n * n, b)` for `a / n * n * b`, the longest factor first."""
    rest: list[tuple[ast.operator, ast.expr]] = []
    while isinstance(product, ast.BinOp) and isinstance(product.op, (ast.Mult, ast.Div)):
        rest.insert(0, (product.op, product.right))
        operator, product = product.op, product.left
        if isinstance(operator, ast.Mult):
            total = rest[0][1]
            for other, factor in rest[1:]:
                total = ast.BinOp(total, other, factor)
            yield product, total


def rounded_values(node: ast.AST) -> Iterator[ArithmeticChange]:
    """Without `.half()`, `.to(torch.float16)` or `.int()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        names = {each.attr for each in node.args if isinstance(each, ast.Attribute)}
        types = {called_name(node)} | (names if called_name(node) in ("to", "type") else set())
        for kind, coarse in (("half_precision", HALF_PRECISION), ("whole_numbers", WHOLE_NUMBERS)):
            if types & coarse:
                yield kind, quote(node), "", node.func.value


def exchanged_names(node: ast.AST, shapes: Mapping[str, Sequence[int]]) -> Iterator[ArithmeticChange]:
    """Two values of the same shape, each in the place of the other, in one statement."""
    if not isinstance(node, (ast.Return, ast.Assign)):
        return
    read = [each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
    known = [name for name in dict.fromkeys(read) if shapes.get(name)]
    pairs = [(a, b) for a, b in combinations(known, 2) if list(shapes[a]) == list(shapes[b])]
    for first, second in pairs[:MAX_EXCHANGED_PAIRS]:
        yield "exchanged", first, second, Exchange(first, second).visit(copy.deepcopy(node))


class Exchange(ast.NodeTransformer):
    """Each of two names in the place of the other, where they are read."""

    def __init__(self, first: str, second: str) -> None:
        self._others = {first: second, second: first}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        is_read = isinstance(node.ctx, ast.Load)
        return ast.copy_location(ast.Name(self._others.get(node.id, node.id), node.ctx), node) if is_read else node


def sums_without_a_factor(node: ast.AST, factors: Sequence[str]) -> Iterator[ArithmeticChange]:
    """`(da * a).sum(0)` for `da.sum(0)`: a factor that belongs into a sum or a mean."""
    if not (isinstance(node, ast.Call) and called_name(node) in OTHER_REDUCTION):
        return
    operand = operand_of(node)
    if operand is None:
        return
    inside = {each.id for each in ast.walk(operand) if isinstance(each, ast.Name)}
    for factor in (factor for factor in factors if factor not in inside):
        product = ast.BinOp(operand, ast.Mult(), ast.Name(factor, ast.Load()))
        if node.args and node.args[0] is operand:
            new = ast.Call(node.func, [product, *node.args[1:]], node.keywords)
        else:
            new = ast.Call(ast.Attribute(product, called_name(node), ast.Load()), node.args, node.keywords)
        yield "sum_without_factor", quote(operand), factor, new
