"""Changes of assignments and of places that are indexed."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from grader.verdict.diagnosis.repairs.arithmetic_changes import (
    PRODUCT_OPERATORS,
    SUM_OPERATORS,
    ArithmeticChange,
    new_name,
)
from grader.verdict.diagnosis.repairs.source_file import is_module, quote


def column_indices(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`d[range(n), Y]` for `d[:, Y]`, which takes whole columns."""
    if isinstance(node, ast.Subscript) and (found := index_rows_and_columns(node)) is not None:
        yield "column", quote(found[0]), "", found[1]
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    written = target or (node.target if isinstance(node, ast.AugAssign) else None)
    if isinstance(written, ast.Subscript) and (found := index_rows_and_columns(written)) is not None:
        # what was one column, (n, 1), is one number for each of the n places
        flat = ast.Call(ast.Attribute(node.value, "flatten", ast.Load()), [], [])  # type: ignore[attr-defined]
        changed = copy.copy(node)
        changed.value = flat  # type: ignore[attr-defined]
        if isinstance(changed, ast.AugAssign):
            changed.target = found[1]
        elif isinstance(changed, ast.Assign):
            changed.targets = [found[1]]
        yield "column", quote(found[0]), "", changed
    # `d[:, Y] = d[:, Y] - 1`: both are changed
    if isinstance(target, ast.Subscript) and (found := index_rows_and_columns(target)) is not None:
        yield "column", quote(found[0]), "", Pairing(target).visit(copy.deepcopy(node))


def rows_and_parts(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`d[range(n), Y]` for `d[Y]`, which takes whole rows, and the sum over an axis for one part along it."""
    if not isinstance(node, ast.Subscript):
        return
    if isinstance(node.slice, ast.Name):
        rows = ast.Call(new_name("range"), [ast.Call(new_name("len"), [node.slice], [])], [])
        both = ast.Tuple([rows, node.slice], ast.Load())
        yield "rows", quote(node.slice), "", ast.Subscript(node.value, both, node.ctx)
    entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    parts = [axis for axis, entry in enumerate(entries) if not is_all(entry)]
    if len(parts) == 1 and isinstance(node.ctx, ast.Load):
        match entries[parts[0]]:
            case ast.Slice(lower=None | ast.Constant(), upper=ast.Constant(), step=None):
                keep = [ast.keyword("keepdim", ast.Constant(True))]
            case ast.Constant(value=int()):
                keep = []
            case _:
                return
        total = ast.Call(ast.Attribute(node.value, "sum", ast.Load()), [ast.Constant(parts[0])], keep)
        yield "part_for_sum", quote(node.value), "", total


def is_all(entry: ast.expr) -> bool:
    """Whether an index is `:`."""
    return isinstance(entry, ast.Slice) and not (entry.lower or entry.upper or entry.step)


def index_rows_and_columns(node: ast.Subscript) -> tuple[ast.expr, ast.Subscript] | None:
    """(index, the same place with rows and columns indexed together) where all rows are taken; None elsewhere."""
    entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    is_full = [is_all(entry) for entry in entries]
    if len(entries) != 2 or is_full.count(True) != 1:
        return None
    index = entries[is_full.index(False)]
    if isinstance(index, (ast.Slice, ast.Constant)):
        return None
    rows = ast.Call(new_name("range"), [ast.Call(new_name("len"), [index], [])], [])
    both: list[ast.expr] = [rows if full else index for full in is_full]
    return index, ast.Subscript(node.value, ast.Tuple(both, ast.Load()), node.ctx)


class Pairing(ast.NodeTransformer):
    """Indexes rows and columns together wherever `place` occurs."""

    def __init__(self, place: ast.Subscript) -> None:
        self._text = ast.unparse(place)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        found = index_rows_and_columns(node) if ast.unparse(node) == self._text else None
        return self.generic_visit(node) if found is None else found[1]


def assignments(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`p -= g` for `p = p - g`, which gives a new tensor a name; `g[i] += d` for `=`, which keeps the last."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver, attr=method)) as call):
            if not is_module(receiver) and not method.endswith("_"):
                in_place = ast.Attribute(receiver, method + "_", ast.Load())
                changed = ast.Expr(ast.Call(in_place, call.args, call.keywords))
                yield "result_unused", method, "", ast.copy_location(changed, node)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=left)) as value):
            if left == name and isinstance(value.op, (*SUM_OPERATORS, *PRODUCT_OPERATORS)):
                update = ast.AugAssign(ast.Name(name, ast.Store()), value.op, value.right)
                yield "new_tensor", name, "", ast.copy_location(update, node)
        case ast.Expr(value=ast.BinOp(left=ast.Name() | ast.Subscript() as target, op=op, right=term)):
            written = copy.copy(target)
            written.ctx = ast.Store()
            update = ast.AugAssign(written, op, term)
            yield "value_unused", quote(target), "", ast.copy_location(update, node)
        case ast.AugAssign():
            yield "line_too_many", quote(node), "", ast.copy_location(ast.Pass(), node)
        case ast.Assign(targets=[ast.Subscript()], value=ast.Constant(value=0)):
            return  # to add nothing is to leave the line out
        case ast.Assign(targets=[ast.Subscript() as target]):
            update = ast.AugAssign(target, ast.Add(), node.value)
            yield "overwritten", quote(target), "", ast.copy_location(update, node)
