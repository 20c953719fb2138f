"""Changes of matrix products and transposes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.verdict.diagnosis.repairs.arithmetic_changes import ArithmeticChange
from grader.verdict.diagnosis.repairs.source_file import called_name, operand_of


def matrix_products(node: ast.AST) -> Iterator[ArithmeticChange]:
    """The two factors of a matrix product in the other order, or a transpose more or less."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield "order", "", "", ast.BinOp(node.right, ast.MatMult(), node.left)
        for left, right in (
            (transpose(node.left), node.right),
            (node.left, transpose(node.right)),
            (transpose(node.left), transpose(node.right)),
        ):
            yield "transpose", "", "", ast.BinOp(left, ast.MatMult(), right)
    if (operand := transposed_operand(node)) is not None:
        product = operand
        is_scaled = isinstance(operand, ast.BinOp) and isinstance(operand.op, ast.Mult | ast.Div)
        if is_scaled and isinstance(operand, ast.BinOp):
            product = operand.left
        if isinstance(product, ast.BinOp) and isinstance(product.op, ast.MatMult):
            left, right = product.left, product.right
            for factors in ((transpose(left), right), (left, transpose(right))):
                new: ast.expr = ast.BinOp(factors[0], ast.MatMult(), factors[1])
                if is_scaled and isinstance(operand, ast.BinOp):
                    new = ast.BinOp(new, operand.op, operand.right)
                yield "product_transposed", "", "", new
        yield "transposed", "", "", operand


def products_by_element(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`a.T @ b` for `a * b`, with the factors in either order and one of them transposed or none."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for left, right in ((node.left, node.right), (node.right, node.left)):
            for factors in ((left, right), (transpose(left), right), (left, transpose(right))):
                yield "matrix_product_for_product", "", "", ast.BinOp(factors[0], ast.MatMult(), factors[1])


def transpose(node: ast.expr) -> ast.expr:
    """`x.mT` for `x`, which swaps the last two axes, and `x` for `x.T` and `x.transpose(1, 2)`."""
    operand = transposed_operand(node)
    return ast.Attribute(node, "mT", ast.Load()) if operand is None else operand


def transposed_operand(node: ast.AST) -> ast.expr | None:
    """`x` of `x.T`, `x.mT` and `x.transpose(1, 2)`."""
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        return node.value
    is_call = isinstance(node, ast.Call) and called_name(node) in ("transpose", "swapaxes")
    return operand_of(node) if isinstance(node, ast.Call) and is_call else None
