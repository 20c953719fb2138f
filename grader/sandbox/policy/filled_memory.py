"""Whether a function fills the uninitialised memory that it requests before it does anything else with it."""

from __future__ import annotations

import ast
from itertools import pairwise

from grader.sandbox.policy.pure_names import UNSETTLED

FILLING = frozenset({"mm", "matmul", "bmm", "mul", "multiply", "add", "sub", "subtract", "div", "divide", "exp", "neg"})
"""Functions of torch that fill all of their `out`."""
COUNTING = frozenset({"range", "len"})
"""Functions of Python's that count the rows of a loop which fills them, unless the file gives them another meaning."""


def is_filled(function: ast.FunctionDef) -> bool:
    """Whether every call of torch.empty_like or so is assigned to a name that the next statement fills."""
    requests = sum(isinstance(each, ast.Attribute) and each.attr in UNSETTLED for each in ast.walk(function))
    if requests and not COUNTING.isdisjoint(own_names(function)):
        return False
    return requests == sum(fills(*pair) for pair in pairwise(function.body) if requests) and not (
        requests and any(isinstance(each, (ast.Lambda, ast.GeneratorExp)) for each in ast.walk(function))
    )  # these read a name later than where they stand


def own_names(function: ast.FunctionDef) -> set[str]:
    """The names of its parameters and variables."""
    stored = {each.id for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return stored | {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}


def fills(request: ast.stmt, following: ast.stmt) -> bool:
    """Whether `request` assigns uninitialised memory to a name and `following` writes all of it, and reads none."""
    match request:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(func=ast.Attribute(attr=attribute), args=arguments, keywords=keywords),
        ) if attribute in UNSETTLED and all(each.arg == "dtype" for each in keywords):  # `out` has another name, too
            like = arguments[0] if attribute == "empty_like" and len(arguments) == 1 else None
        case _:
            return False
    match following:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=filled), slice=index)], value=value):
            whole = isinstance(index, ast.Slice) and not (index.lower or index.upper or index.step)
            return filled == name and (whole or is_ellipsis(index)) and not mentions(value, name)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=memory, attr="copy_"), args=[value], keywords=[])):
            if isinstance(memory, ast.Call) and isinstance(memory.func, ast.Attribute) and memory.func.attr == "view":
                if any(mentions(each, name) for each in memory.args):
                    return False
                memory = memory.func.value
            return isinstance(memory, ast.Name) and memory.id == name and not mentions(value, name)
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id="torch"), attr=attribute),
                args=arguments,
                keywords=[ast.keyword(arg="out", value=ast.Name(id=filled))],
            )
        ):
            return attribute in FILLING and filled == name and not any(mentions(each, name) for each in arguments)
        case ast.For(
            target=ast.Name(id=place),
            iter=ast.Call(func=ast.Name(id="range"), args=[count], keywords=[]),
            body=[
                ast.Assign(targets=[ast.Subscript(value=ast.Name(id=filled), slice=ast.Name(id=index))], value=value)
            ],
            orelse=[],
        ):
            tensors = [name, like.id] if isinstance(like, ast.Name) else [name]
            counts = [text for tensor in tensors for text in (f"{tensor}.shape[0]", f"len({tensor})")]
            is_row = filled == name and index == place and not mentions(value, name)
            return is_row and ast.unparse(count) in counts
    return False


def is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def mentions(node: ast.expr, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))
