"""Numbers and reductions in an expression of a student's, without torch."""

from __future__ import annotations

import ast
from dataclasses import dataclass


def text(node: ast.AST) -> str:
    """The node's text, in brackets where an operator next to it could take it apart."""
    plain = ast.unparse(node)
    simple = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant))
    return plain if simple else f"({plain})"


def whole_number(node: ast.AST) -> int | None:
    """The whole number that a node is, such as -1."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = whole_number(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def number_in(node: ast.AST) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number_in(node.operand)
        return None if inner is None else -inner
    is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return node.value if is_number else None  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Reduction:
    """A sum or a mean: of `value`, over `axis` (None for all elements)."""

    name: str
    value: str
    axis: int | None
    keepdim: bool


def reduction_of(node: ast.AST) -> Reduction | None:
    """`x.sum(0, keepdim=True)`, `torch.mean(x, dim=1)`, `x.sum()`."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("sum", "mean")):
        return None
    arguments = list(node.args)
    if isinstance(node.func.value, ast.Name) and node.func.value.id == "torch":
        if not arguments:
            return None
        value = arguments.pop(0)
    else:
        value = node.func.value
    axis, keepdim = None, False
    for name, argument in [("dim", each) for each in arguments] + [(each.arg, each.value) for each in node.keywords]:
        if name in ("dim", "axis"):
            axis = whole_number(argument)
            if axis is None:
                return None
        elif name == "keepdim" and isinstance(argument, ast.Constant) and axis is not None:
            keepdim = bool(argument.value)
        else:
            return None
    return Reduction(node.func.attr, text(value), axis, keepdim) if len(arguments) < 2 else None


def reduction_code(how: str, value: str, axis: int, keepdim: bool) -> str:
    return f"{value}.{how}({axis}{', keepdim=True' if keepdim else ''})"


def replace_child(parent: ast.AST, field: str, index: int | None, new: ast.expr) -> ast.expr:
    """Puts `new` into a field of a node, or into the list in it at `index`; returns what was there."""
    old: ast.expr
    if index is None:
        old = getattr(parent, field)
        setattr(parent, field, new)
    else:
        entries: list[ast.expr] = getattr(parent, field)
        old, entries[index] = entries[index], new
    return old
