"""Formulas that a student or an author writes: read with a whitelist, then evaluated. No text is ever run as Python."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

MAX_FORMULA_CHARACTERS = 300
FORMULA_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
FORMULA_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "abs": np.abs,
    "sum": np.sum,
    "mean": np.mean,
    "min": np.minimum,
    "max": np.maximum,
}
TWO_ARGUMENTS = ("min", "max")
CONSTANTS = {"pi": np.pi}
TYPED = str.maketrans({"−": "-", "–": "-", "·": "*", "×": "*", "÷": "/", "^": "**", "²": "**2", "³": "**3", "π": "pi"})
"""What people type or paste for an operator, and Python's spelling."""
IMPLICIT_PRODUCT = re.compile(r"\d\s*\(|\)\s*[\w(]|(?<![\w.])\d+(?:\.\d+)?\s*(?![eE][+-]?\d)[A-Za-z_]")


class FormulaError(ValueError):
    """A formula that cannot be read or has no value. The text is a sentence for who wrote it."""


@dataclass(frozen=True)
class Formula:
    """A formula that was read; `names` are the values that it needs."""

    text: str
    names: frozenset[str]
    _body: ast.expr

    def value(self, values: Mapping[str, Any]) -> Any:
        """Evaluate it in float64, elementwise for arrays. Raises FormulaError where the result is not finite."""
        with np.errstate(all="ignore"):
            try:
                found = evaluate(self._body, values)
            except (ArithmeticError, TypeError, ValueError) as error:  # lengths that differ, the negative of a truth
                raise FormulaError(f"`{self.text}` has no value: {error}.") from error
        if not np.all(np.isfinite(found)):
            raise FormulaError(f"`{self.text}` has no finite value: it divides by zero or grows too large.")
        return found

    def number(self, values: Mapping[str, Any]) -> float:
        """Evaluate it to a single number. Raises FormulaError."""
        found = self.value(values)
        if np.ndim(found):
            raise FormulaError(f"`{self.text}` is not a single number.")
        return float(found)


def read_formula(text: str, names: Collection[str] = ()) -> Formula:
    """Read a formula of numbers, the given `names`, operators and FORMULA_FUNCTIONS. Raises FormulaError."""
    shown = " ".join(text.split())
    if not shown:
        raise FormulaError("There is no formula.")
    if len(shown) > MAX_FORMULA_CHARACTERS:
        raise FormulaError(f"The formula has {len(shown)} characters; expected at most {MAX_FORMULA_CHARACTERS}.")
    spelt = shown.translate(TYPED)
    try:
        body = ast.parse(spelt, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        hint = "write every product with *" if IMPLICIT_PRODUCT.search(spelt) else "check brackets and operators"
        raise FormulaError(f"`{shown}` is not a formula: {hint}.") from None
    used = set(names_used(body, shown, names))
    return Formula(shown, frozenset(used), body)


def names_used(node: ast.expr, shown: str, names: Collection[str]) -> Iterator[str]:
    """The names of values in a node whose every part is allowed. Raises FormulaError for the first other part."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return
    if isinstance(node, ast.Name):
        if node.id in names:
            yield node.id
        elif node.id not in CONSTANTS:
            known = f"only {', '.join(names)} and numbers" if names else "a number"
            raise FormulaError(f"`{shown}` uses the name `{node.id}`; expected {known}.")
        return
    parts: list[ast.expr]
    if isinstance(node, ast.BinOp) and type(node.op) in FORMULA_OPERATORS:
        parts = [node.left, node.right]
    elif isinstance(node, ast.UnaryOp) and type(node.op) in FORMULA_OPERATORS:
        parts = [node.operand]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in FORMULA_OPERATORS:
        parts = [node.left, node.comparators[0]]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name = node.func.id
        if name not in FORMULA_FUNCTIONS:
            hint = (
                "write every product with *" if name in names else f"the functions are {', '.join(FORMULA_FUNCTIONS)}"
            )
            raise FormulaError(f"`{shown}` calls `{name}`; {hint}.")
        if len(node.args) != (2 if name in TWO_ARGUMENTS else 1) or any(isinstance(a, ast.Starred) for a in node.args):
            raise FormulaError(f"`{shown}` calls `{name}` with the wrong number of arguments.")
        parts = node.args
    elif isinstance(node, ast.Call):
        raise FormulaError(f"`{shown}` is not a formula: write every product with *.")
    else:
        raise FormulaError(f"`{shown}` has a part that is not allowed; expected numbers, names, + - * / ** and ().")
    for part in parts:
        yield from names_used(part, shown, names)


def evaluate(node: ast.expr, values: Mapping[str, Any]) -> Any:
    """The value of a node that `names_used` has allowed. Numbers are float64, so that no power grows without limit."""
    if isinstance(node, ast.Constant):
        assert isinstance(node.value, (int, float))
        return np.float64(node.value)
    if isinstance(node, ast.Name):
        value = values[node.id] if node.id in values else CONSTANTS[node.id]
        return np.asarray(value, np.float64)[()]
    if isinstance(node, ast.BinOp):
        return FORMULA_OPERATORS[type(node.op)](evaluate(node.left, values), evaluate(node.right, values))
    if isinstance(node, ast.UnaryOp):
        return FORMULA_OPERATORS[type(node.op)](evaluate(node.operand, values))
    if isinstance(node, ast.Compare):
        return FORMULA_OPERATORS[type(node.ops[0])](evaluate(node.left, values), evaluate(node.comparators[0], values))
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return FORMULA_FUNCTIONS[node.func.id](*(evaluate(part, values) for part in node.args))
