"""Finds differences whose two sides are one expression at two places: `f(x + d) - f(x - d)`."""

from __future__ import annotations

import ast

from grader.source.program_slice import ProgramSlice
from grader.source.scopes import Scope
from grader.source.syntax import Comprehension, children

MAX_TOKENS = 300
INLINED = 8
"""Names within names that are replaced by their values when two expressions are compared."""


def is_symmetric_difference(node: ast.BinOp, scope: Scope, whole: ProgramSlice) -> bool:
    """`f(x + d) - f(x - d)`, or `f(x + d) - f(x)` for a function of the file's own."""
    left, right = postfix_tokens(node.left, scope, whole), postfix_tokens(node.right, scope, whole)
    if left is None or right is None or not any(token in ("call", "MatMult", "Pow") for token in left):
        return False
    if len(left) == len(right):
        different = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
        return bool(different) and all({a, b} == {"Add", "Sub"} for a, b in different)
    if not (is_own_call(node.left, scope, whole) and is_own_call(node.right, scope, whole)):
        return False
    longer, shorter = (left, right) if len(left) > len(right) else (right, left)
    same = 0
    while same < len(shorter) and longer[same] == shorter[same]:
        same += 1
    rest = len(shorter) - same
    inserted = longer[same : len(longer) - rest]
    return longer[len(longer) - rest :] == shorter[same:] and inserted[-1] in ("Add", "Sub")


def is_own_call(node: ast.AST, scope: Scope, whole: ProgramSlice, depth: int = 0) -> bool:
    if isinstance(node, ast.Name) and depth < INLINED:
        values = [d for d in whole.program.bindings(node.id, scope) if d.kind == "value"]
        return len(values) == 1 and is_own_call(values[0].value or node, values[0].scope, whole, depth + 1)
    return isinstance(node, ast.Call) and bool(whole.callees(node.func, scope))


Token = str | tuple[ast.AST, Scope, int]
"""A token; or a node with its scope, and how many names were replaced by their values on the way to it."""


def postfix_tokens(node: ast.AST, scope: Scope, whole: ProgramSlice) -> list[str] | None:
    """The expression in postfix order, names that are assigned once replaced by their values; None if too long."""
    found: list[str] = []
    waiting: list[Token] = [(node, scope, 0)]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, str):
            found.append(entry)
            continue
        if len(found) + len(waiting) > MAX_TOKENS or isinstance(entry[0], Comprehension | ast.Lambda):
            return None
        waiting += reversed(postfix_parts(*entry, whole))
    return found


def postfix_parts(node: ast.AST, scope: Scope, depth: int, whole: ProgramSlice) -> list[Token]:
    """A node's operands, then its token."""
    match node:
        case ast.Name():
            bindings = [d for d in whole.program.bindings(node.id, scope) if d.kind != "passed"]
            values = [d for d in bindings if d.kind in ("value", "store")]
            is_plain = [d.kind for d in values].count("value") == 1 and len(values) == len(bindings) <= 3
            if is_plain and depth < INLINED:
                return [(d.value, d.scope, depth + 1) for d in values if d.value is not None]
            return [node.id]
        case ast.BinOp():
            return [(node.left, scope, depth), (node.right, scope, depth), type(node.op).__name__]
        case ast.AugAssign():
            return [(node.value, scope, depth), type(node.op).__name__]
        case ast.Call():
            arguments = [*node.args, *(word.value for word in node.keywords)]
            return [(node.func, scope, INLINED), *((each, scope, depth) for each in arguments), "call"]
        case ast.Attribute():
            return [(node.value, scope, depth), f".{node.attr}"]
        case ast.Constant():
            return [repr(node.value)[:50]]
    return [*((child, scope, depth) for child in children(node)), type(node).__name__]
