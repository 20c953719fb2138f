"""Numbers and strings that are written in source text, alone or as an expression of literals."""

from __future__ import annotations

import ast
from typing import NamedTuple

LONGEST = 500  # characters of a string
MOST_PIECES = 200  # of which a string is put together
DEEPEST = 8  # operations within operations


class WrittenNumber(NamedTuple):
    """A number as a literal: its value, the file as messages show it, and the line, counted from 1."""

    value: float
    file: str
    line: int


def literal_number(node: ast.AST, depth: int = 0) -> float | None:
    """The value of an expression of literals, such as `1 / 2**10`; None for anything else."""
    if isinstance(node, ast.Constant):
        value = node.value
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        return float(value) if abs(value) < 1e300 else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and depth < DEEPEST:
        inner = literal_number(node.operand, depth + 1)
        return None if inner is None else -inner
    if not isinstance(node, ast.BinOp) or depth > DEEPEST:
        return None
    left, right = literal_number(node.left, depth + 1), literal_number(node.right, depth + 1)
    if left is None or right is None:
        return None
    try:
        if isinstance(node.op, ast.Pow):
            return float(left**right) if left > 0 else None
        if isinstance(node.op, ast.Div):
            return left / right
        if isinstance(node.op, ast.LShift):
            return float(left * 2.0**right)
        return left * right if isinstance(node.op, ast.Mult) else None
    except (OverflowError, ZeroDivisionError):
        return None


def literal_string(node: ast.expr) -> str | None:
    """The text of a string literal, also of a sum such as `"back" + "ward"`; None for anything else or a long one."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) and len(node.value) <= LONGEST else None
    if not isinstance(node, ast.BinOp):
        return None
    found: list[str] = []
    waiting: list[ast.expr] = [node]
    for _ in range(MOST_PIECES):
        part = waiting.pop()
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            waiting += [part.left, part.right]
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            found.append(part.value)
        else:
            return None
        if not waiting:
            break
    length = sum(map(len, found))
    return "".join(reversed(found)) if not waiting and length <= LONGEST else None
