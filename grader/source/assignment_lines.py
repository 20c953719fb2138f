"""On which line of a student's file each gradient is assigned. The file is read, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from grader.source.aliases import ends_in_underscore
from grader.source.parsing import parse_submitted

ADDING = frozenset({"append", "insert", "extend"})
"""Methods of a list that put something into it. torch's methods that change a tensor end in `_`."""


def assignment_lines(source: str, function: str, gradients: Sequence[str]) -> tuple[int, dict[str, int]] | None:
    """The function's first line, and {gradient: the line that assigns it last}, for those that are found.

    `gradients` are the names in the order of the returned tuple. What counts is the variable that is returned under a
    name; else a variable of that name, an entry such as `d["dW"]` or `d["W"]`, or `W.grad`. None where there is no such
    function.
    """
    tree = parse_submitted(source)
    nodes = ast.walk(tree) if tree is not None else ()
    definitions = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == function]
    if not definitions:
        return None
    definition = definitions[-1]
    last: dict[str, int] = {}
    returned: dict[str, ast.expr] = {}
    for node in statements_in_order(definition.body):
        if isinstance(node, ast.Return):
            returned |= returned_parts(node.value, gradients)
        elif name := assigned_variable(node):
            last[name] = max(node.lineno, last.get(name, 0))  # type: ignore[attr-defined]
    found: dict[str, int] = {}
    for gradient in gradients:
        part = returned.get(gradient)
        if part is not None and not isinstance(part, (ast.Name, ast.Constant)):
            found[gradient] = part.lineno
        elif line := last.get(part.id if isinstance(part, ast.Name) else "") or last.get(gradient):
            found[gradient] = line
    return min([definition.lineno, *(each.lineno for each in definition.decorator_list)]), found


def statements_in_order(statements: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All nodes, without those inside `return` statements, and inside functions and classes that are defined there."""
    waiting = list(reversed(statements))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Return)):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def assigned_variable(node: ast.AST) -> str:
    """The variable that a node assigns, or changes in place; an entry of a dictionary as its gradient; "" for none."""
    match node:
        case ast.Name(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
            return changed_place(node)
        case ast.Call(func=ast.Attribute(value=receiver, attr=method)) if method in ADDING or ends_in_underscore(
            method
        ):
            return changed_place(receiver)
        case ast.Constant(value=str(key)) if key.startswith("d") and key.isidentifier():
            return key  # a key of a dictionary that is written out
    return ""


def changed_place(node: ast.expr) -> str:
    """The variable of `dW`, `dW[0]`; the gradient of `d["W"]`, `d["dW"][0]`, `W.grad`; "" for anything else."""
    while isinstance(node, ast.Subscript):
        match node:
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(key))):
                is_of_gradients = table[0] in "dg"  # d, grads: no forward values
                return key if key.startswith("d") else f"d{key}" if is_of_gradients else ""
        node = node.value
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr="grad"):
            return f"d{name}"
    return ""


def returned_parts(value: ast.expr | None, gradients: Sequence[str]) -> dict[str, ast.expr]:
    """{gradient: the expression that is returned for it} of a tuple, a list or a dictionary that is written out."""
    found: dict[str, ast.expr] = {}
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if len(parts) >= len(gradients):
            found = dict(zip(gradients, parts, strict=False))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):  # such as the loss and a dictionary
            for part in parts:
                found |= returned_parts(part, gradients)
        case ast.Dict(keys=keys, values=parts):
            pairs = zip(keys, parts, strict=True)
            found = {str(key.value): part for key, part in pairs if isinstance(key, ast.Constant)}
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            found = {keyword.arg: keyword.value for keyword in keywords if keyword.arg is not None}
    return {name if name in gradients else f"d{name}": part for name, part in found.items()}
