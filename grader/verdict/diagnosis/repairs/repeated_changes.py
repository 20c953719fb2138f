"""Changes of what is read several times in one statement, and of products that lack a sum."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from grader.verdict.diagnosis.repairs.arithmetic_changes import ArithmeticChange, new_name
from grader.verdict.diagnosis.repairs.call_changes import OTHER_REDUCTION
from grader.verdict.diagnosis.repairs.source_file import called_name, operand_of, quote

STATISTICS = frozenset({"var", "std"})
MAX_NAMES_REPEATED = 4
MAX_OTHER_VALUES = 8


def repeated_values(
    node: ast.AST, parameters: Sequence[str], shapes: Mapping[str, Sequence[int]], shape: Sequence[int]
) -> Iterator[ArithmeticChange]:
    """All changes of this module. `shapes` are those of the lesson's values by name, `shape` that of the gradient."""
    yield from missing_reductions(node)
    yield from corrected_statistics(node)
    yield from reshaped_matrices(node)
    if isinstance(node, (ast.Return, ast.Assign)):
        reads = (each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
        repeated = [name for name, count in Counter(reads).items() if count > 1]
        for name in repeated[:MAX_NAMES_REPEATED]:
            yield from other_value_everywhere(node, name, shapes, shape)
            yield from factor_everywhere(node, name, parameters, shapes)


def missing_reductions(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`(a * b).sum(0, keepdim=True)` for `a * b`, or its mean; not for `2 * a`, which may well be zero then."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and not isinstance(node.left, ast.Constant):
        for axis in (0, -1):
            for name in OTHER_REDUCTION:
                keep = [ast.keyword("keepdim", ast.Constant(True))]
                call = ast.Call(ast.Attribute(node, name, ast.Load()), [ast.Constant(axis)], keep)
                yield "not_reduced", quote(node), name, call


def corrected_statistics(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`h.var(0, unbiased=False)` for `h.var(0)`, and the other way round."""
    if not (isinstance(node, ast.Call) and called_name(node) in STATISTICS and operand_of(node) is not None):
        return
    options = ("unbiased", "correction")
    others = [each for each in node.keywords if each.arg not in options]
    is_biased = any(
        each.arg in options and isinstance(each.value, ast.Constant) and not each.value.value for each in node.keywords
    )
    changed = ast.Call(node.func, node.args, [*others, ast.keyword("unbiased", ast.Constant(is_biased))])
    yield "biased" if is_biased else "unbiased", called_name(node), "", changed


def missing_squares(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`1 - a**2` for `1 - a`, `b * a**2` for `b * a`."""
    match node:
        case ast.BinOp(left=ast.Constant(value=1 | 1.0) as one, op=ast.Sub(), right=term):
            if not isinstance(term, ast.Constant):
                squared = ast.BinOp(term, ast.Pow(), ast.Constant(2))
                yield "power_missing", quote(term), "", ast.BinOp(one, ast.Sub(), squared)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as operator, right=ast.Name() as factor):
            yield (
                "power_missing",
                quote(factor),
                "",
                ast.BinOp(left, operator, ast.BinOp(factor, ast.Pow(), ast.Constant(2))),
            )


def reshaped_matrices(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`a.T` for `a.reshape(3, 4)` or `a.view(3, 4)`."""
    if isinstance(node, ast.Call) and called_name(node) in ("reshape", "view"):
        operand = operand_of(node)
        if operand is not None:
            yield "reshaped", quote(node), "", ast.Attribute(operand, "mT", ast.Load())


def other_value_everywhere(
    node: ast.stmt, name: str, shapes: Mapping[str, Sequence[int]], shape: Sequence[int]
) -> Iterator[ArithmeticChange]:
    """Another value of the same shape wherever `name` is read; a variable of unknown shape may have the gradient's."""
    own = list(shapes.get(name, shape))
    others = [each for each, size in shapes.items() if own and list(size) == own and each != name]
    for other in others[:MAX_OTHER_VALUES]:
        yield "everywhere", name, other, Replaced(name, new_name(other)).visit(copy.deepcopy(node))


def factor_everywhere(
    node: ast.stmt, name: str, parameters: Sequence[str], shapes: Mapping[str, Sequence[int]]
) -> Iterator[ArithmeticChange]:
    """`name` times a parameter that the statement does not read, wherever it is read."""
    inside = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    for factor in parameters:
        if name in shapes and shapes.get(factor) and factor not in inside:
            product = ast.BinOp(ast.Name(name, ast.Load()), ast.Mult(), ast.Name(factor, ast.Load()))
            yield "factor_everywhere", name, factor, Replaced(name, product).visit(copy.deepcopy(node))


class Replaced(ast.NodeTransformer):
    """An expression in the place of a name, wherever it is read."""

    def __init__(self, name: str, new: ast.expr) -> None:
        self._name, self._new = name, new

    def visit_Name(self, node: ast.Name) -> ast.expr:
        is_read = node.id == self._name and isinstance(node.ctx, ast.Load)
        return self._new if is_read else node
