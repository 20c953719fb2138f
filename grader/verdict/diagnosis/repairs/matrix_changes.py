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
        both = ast.BinOp(transpose(node.left), ast.MatMult(), transpose(node.right))
        yield from (("transpose", "", "", each) for each in (*with_a_transpose(node), both))
    if (operand := transposed_operand(node)) is not None:
        match operand:
            case ast.BinOp(
                left=ast.BinOp(op=ast.MatMult()) as product, op=ast.Mult() | ast.Div() as scaled, right=size
            ):
                yield from (
                    ("product_transposed", "", "", ast.BinOp(each, scaled, size)) for each in with_a_transpose(product)
                )
            case ast.BinOp(op=ast.MatMult()) as product:
                yield from (("product_transposed", "", "", each) for each in with_a_transpose(product))
        yield "transposed", "", "", operand


def with_a_transpose(product: ast.BinOp) -> Iterator[ast.BinOp]:
    """`a.T @ b` and `a @ b.T` for `a @ b`."""
    yield ast.BinOp(transpose(product.left), ast.MatMult(), product.right)
    yield ast.BinOp(product.left, ast.MatMult(), transpose(product.right))


def products_by_element(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`a.T @ b` for `a * b`, with the factors in either order and one of them transposed or none.

    Only where both are values as they came: nobody means a matrix product with a mask that they have made.
    """
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and all(map(is_value, (node.left, node.right))):
        for left, right in ((node.left, node.right), (node.right, node.left)):
            product = ast.BinOp(left, ast.MatMult(), right)
            for each in (product, *with_a_transpose(product)):
                yield "matrix_product_for_product", "", "", each


def is_value(node: ast.expr) -> bool:
    """Whether it is a name, an attribute of one (`self.w`) or a transpose of these."""
    operand = transposed_operand(node)
    node = node if operand is None else operand
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))


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
