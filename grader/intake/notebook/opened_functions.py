"""A backward pass that is written as functions, each called once, as statements in the place of the calls.

`dlogprobs, dprobs = backward_all(probs)` gives every gradient, and so does `grads = backward()`. Read as statements,
they are graded one by one, each with upstream gradients of its own.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from grader.intake.notebook.object_calls import HARMLESS_MARKS
from grader.source.syntax import all_nodes, last_name

SHARE = 0.75
"""The share of an exercise's gradients that a function assigns if it is the exercise's whole backward pass."""
FEWEST = 3
"""Gradients that a function assigns and returns under their names if it is a part of the backward pass."""


def opened_functions(bodies: Iterable[list[ast.stmt]], gradients: Collection[str]) -> dict[int, list[ast.stmt]]:
    """{id of a call's statement: the statements of the function called}, for functions that are called just once."""
    statements = [node for body in bodies for node in body]
    openable = {
        id(node)
        for node in statements
        if isinstance(node, ast.FunctionDef)
        and len(stored_in(node) & set(gradients)) >= FEWEST
        and ends_at_its_end(node)
    }
    if not openable:
        return {}
    names = (each for node in statements for each in all_nodes(node) if isinstance(each, ast.Name))
    reads = Counter(each.id for each in names if isinstance(each.ctx, ast.Load))
    outside = {n for node in statements if not isinstance(node, ast.FunctionDef) for n in stored_in(node)}
    found: dict[int, list[ast.stmt]] = {}
    # a call means the last function of the name above it; only where there is none, the first one below
    latest = {node.name: node for node in reversed(statements) if isinstance(node, ast.FunctionDef)}
    for node in statements:
        if isinstance(node, ast.FunctionDef):
            latest[node.name] = node
        call = node.value if isinstance(node, ast.Assign | ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and reads[call.func.id] == 1:
            function = latest.get(call.func.id)
            if function is None or id(function) not in openable:
                continue
            own = stored_in(function) & set(gradients)
            shared = own & (stored_in(node) | declared_global(function))
            is_whole = len(own) >= SHARE * len(gradients)
            if not is_whole and len(shared) < FEWEST:
                continue
            opened = opened_call(node, call, function, outside - (own if is_whole else shared))
            if opened is not None:
                found[id(node)] = opened
    return found


def stored_in(node: ast.AST) -> set[str]:
    return {each.id for each in all_nodes(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def declared_global(function: ast.FunctionDef) -> set[str]:
    return {name for each in function.body if isinstance(each, ast.Global) for name in each.names}


def ends_at_its_end(function: ast.FunctionDef) -> bool:
    """Whether a function has no way out but its end, with or without a `return`, and positional parameters only."""
    kinds = (ast.Return, ast.Yield, ast.YieldFrom, ast.Nonlocal, ast.FunctionDef, ast.Lambda, ast.ClassDef)
    body = function.body[:-1] if isinstance(function.body[-1], ast.Return) else function.body
    others = [node for each in body for node in all_nodes(each) if isinstance(node, kinds)]
    arguments = function.args
    special = arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs
    marks = {last_name(each.func if isinstance(each, ast.Call) else each) for each in function.decorator_list}
    return not others and marks <= HARMLESS_MARKS and not special


def opened_call(
    node: ast.stmt, call: ast.Call, function: ast.FunctionDef, outside: Collection[str]
) -> list[ast.stmt] | None:
    """The function's statements with the arguments bound before and the results after; None where nobody can tell.

    A local name that is also one of `outside`, the file's, gets a name of its own.
    """
    parameters = [each.arg for each in function.args.args]
    given = dict(zip(parameters, call.args, strict=False))
    given |= {each.arg: each.value for each in call.keywords if each.arg is not None}
    is_starred = any(isinstance(each, ast.Starred) for each in call.args) or any(not k.arg for k in call.keywords)
    if is_starred or len(call.args) > len(parameters) or set(given) != set(parameters):
        return None
    stored = stored_in(function) - declared_global(function)
    same = {name for name, value in given.items() if isinstance(value, ast.Name) and value.id == name} - stored
    renamed = {name: f"{name}_in_{function.name}" for name in ({*given} - same) | (stored & set(outside))}
    rename = Renaming(renamed)
    before = [
        assign(ast.Name(renamed[name], ast.Store()), value, node) for name, value in given.items() if name in renamed
    ]
    body = [rename.visit(copy.deepcopy(each)) for each in function.body if not isinstance(each, ast.Global)]
    last = body.pop() if isinstance(function.body[-1], ast.Return) else ast.Return()
    return [*before, *body, *results(node, last)]


def results(node: ast.stmt, last: ast.Return) -> Iterator[ast.stmt]:
    """The assignments of what is returned; none where a name is given to itself."""
    if not isinstance(node, ast.Assign) or last.value is None:
        return
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(last.value, ast.Tuple):
            names = [ast.unparse(each) for each in target.elts]
            if names == [ast.unparse(each) for each in last.value.elts]:
                continue
        yield assign(target, last.value, node)


def assign(target: ast.expr, value: ast.expr, node: ast.stmt) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(ast.Assign([target], value), node))


class Renaming(ast.NodeTransformer):
    """Gives names other ones."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self._names.get(node.id, node.id), node.ctx), node)
