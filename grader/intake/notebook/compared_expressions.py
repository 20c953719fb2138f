"""A gradient that only a comparison has, `cmp('b2', dlogits.sum(0), b2)`: here it gets a variable.

The comparison then says whose gradient the variable is, as it does of any other.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from grader.intake.notebook.claims import ComparisonFunction, bare, is_string_value, scan_of
from grader.source.syntax import all_nodes, names_in
from grader.source.unparsing import code_of

MAX_EXPRESSIONS_NAMED = 100
MAX_CHARACTERS_SHOWN = 60  # characters
EXPRESSION_PREFIX = "compared_"
COMPUTES = (ast.Call, ast.BinOp, ast.UnaryOp)
"""An expression that computes something; an attribute or an entry is a part of an object, which has names already."""
FROM_AUTOGRAD = frozenset({"grad", "autograd", "backward"})


def with_named_expressions(bodies: Sequence[list[ast.stmt]]) -> tuple[list[list[ast.stmt]], dict[str, str]]:
    """The statements of each cell, and {new name: the expression that it is written for}."""
    calls = [each for body in bodies for each in body if call_with_computed(each) is not None]
    if not calls:
        return [*bodies], {}
    functions = comparison_functions(bodies)
    taken = {name for body in bodies for each in body for name in names_in(each)}
    shown: dict[str, str] = {}
    seen: set[str] = set()  # the same comparison again says nothing new
    changed: list[list[ast.stmt]] = []
    for body in bodies:
        changed.append([])
        for node in body:
            call = call_with_computed(node)
            place = compared_argument(call, functions) if call is not None else None
            text = ast.dump(node) if place is not None else ""
            if call is None or place is None or text in seen or len(seen) >= MAX_EXPRESSIONS_NAMED:
                changed[-1].append(node)
                continue
            seen.add(text)
            name = f"{EXPRESSION_PREFIX}{len(shown) + 1}"
            while name in taken:
                name += "_"
            code = code_of(call.args[place]).replace("\n", " ")
            shown[name] = code if len(code) <= MAX_CHARACTERS_SHOWN else code[: MAX_CHARACTERS_SHOWN - 4] + " ..."
            changed[-1] += assigned_first(node, place, name)
    return changed, shown


def is_for_an_expression(name: str) -> bool:
    """Whether a variable may be one of the new ones."""
    return name.startswith(EXPRESSION_PREFIX)


def call_with_computed(node: ast.stmt) -> ast.Call | None:
    """The call of a statement that is nothing else, if one of its arguments computes something."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
        return None
    return call if any(isinstance(bare(each), COMPUTES) for each in call.args) else None


def comparison_functions(bodies: Sequence[list[ast.stmt]]) -> dict[str, ComparisonFunction]:
    """The lecture's `cmp` and the functions of the notebook that compare two of their parameters."""
    scan = scan_of(("", body) for body in bodies)
    scan.claims()  # finds what each function compares
    return {name: each for name, each in scan.functions.items() if each.roles}


def compared_argument(call: ast.Call, functions: dict[str, ComparisonFunction]) -> int | None:
    """The place of an expression that is compared with the gradient of a variable; None where there is none."""
    assert isinstance(call.func, ast.Name)
    function = functions.get(call.func.id)
    if function is None:
        return None
    places = {role: function.roles.get(role, -1) for role in ("variable", "tensor", "label")}
    if not 0 <= places["variable"] < len(call.args) or not 0 <= places["tensor"] < len(call.args):
        return None
    expression, tensor = call.args[places["variable"]], call.args[places["tensor"]]
    is_labelled = not 0 <= places["label"] < len(call.args) or is_string_value(call.args[places["label"]])
    if not isinstance(bare(expression), COMPUTES) or not isinstance(bare(tensor), ast.Name) or not is_labelled:
        return None
    used = {each.attr for each in all_nodes(expression) if isinstance(each, ast.Attribute)}
    return None if used & FROM_AUTOGRAD or isinstance(expression, ast.Starred) else places["variable"]


def assigned_first(node: ast.stmt, place: int, name: str) -> list[ast.stmt]:
    """The statement with a variable in the place of its argument, below an assignment of the argument to it."""
    new = copy.deepcopy(node)
    assert isinstance(new, ast.Expr) and isinstance(new.value, ast.Call)
    value = new.value.args[place]
    new.value.args[place] = ast.copy_location(ast.Name(name, ast.Load()), value)
    first = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), value)
    return [ast.fix_missing_locations(first), new]
