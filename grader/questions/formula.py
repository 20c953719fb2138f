"""Formulas that a student or an author writes: read with a whitelist, then evaluated. No text is ever run as Python."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
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
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
}
FORMULA_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("sqrt", "exp", "log", "tanh", "abs", "sum", "mean")},
    **{"min": np.minimum, "max": np.maximum},
}
TWO_ARGUMENTS = ("min", "max")
WRITE_PRODUCTS = "write every product with *"
TYPED = str.maketrans({"−": "-", "–": "-", "·": "*", "×": "*", "÷": "/", "^": "**", "²": "**2", "³": "**3", "π": "pi"})
"""What people type or paste for an operator, and Python's spelling."""
Evaluate = Callable[[Mapping[str, Any]], Any]
IMPLICIT_PRODUCT = re.compile(r"\d\s*\(|\)\s*[\w(]|(?<![\w.])\d+(?:\.\d+)?\s*(?![eE][+-]?\d)[A-Za-z_]")


class FormulaError(ValueError):
    """A formula that cannot be read or has no value. The text is a sentence for who wrote it."""


@dataclass(frozen=True)
class Formula:
    """A formula that was read."""

    text: str
    _evaluate: Evaluate

    def value(self, values: Mapping[str, Any]) -> Any:
        """Evaluate it in float64, elementwise for arrays. Raises FormulaError where the result is not finite."""
        with np.errstate(all="ignore"):
            try:
                found = self._evaluate(values)
            except (ArithmeticError, TypeError, ValueError, RecursionError) as error:  # lengths differ, -(1 < 2)
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
        return Formula(shown, evaluation(ast.parse(spelt, mode="eval").body, shown, names))
    except FormulaError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        hint = WRITE_PRODUCTS if IMPLICIT_PRODUCT.search(spelt) else "check brackets and operators"
        raise FormulaError(f"`{shown}` is not a formula: {hint}.") from None


def evaluation(node: ast.expr, shown: str, names: Collection[str]) -> Evaluate:
    """What computes a node. Raises FormulaError for a part that is not allowed.

    Numbers are float64, so that no power grows without limit.
    """
    function: Callable[..., Any] | None = None
    parts: Sequence[ast.expr] = ()
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return lambda _: np.float64(number)
        case ast.Name(id=name) if name in names:
            return lambda values: np.asarray(values[name], np.float64)[()]
        case ast.Name(id="pi"):
            return lambda _: np.float64(np.pi)
        case ast.Name(id=name):
            known = f"only {', '.join(names)} and numbers" if names else "a number"
            raise FormulaError(f"`{shown}` uses the name `{name}`; expected {known}.")
        case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
            function, parts = FORMULA_OPERATORS.get(type(op)), [left, right]
        case ast.UnaryOp(op=op, operand=operand):
            function, parts = FORMULA_OPERATORS.get(type(op)), [operand]
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in FORMULA_FUNCTIONS:
            function = FORMULA_FUNCTIONS[name]
            if len(parts) != (2 if name in TWO_ARGUMENTS else 1):
                raise FormulaError(f"`{shown}` calls `{name}` with the wrong number of arguments.")
        case ast.Call():
            functions = ", ".join(FORMULA_FUNCTIONS)
            raise FormulaError(f"`{shown}` is not a formula: {WRITE_PRODUCTS}. The functions are {functions}.")
    if function is None:
        raise FormulaError(f"`{shown}` has a part that is not allowed; expected numbers, names, + - * / ** and ().")
    arguments = [evaluation(part, shown, names) for part in parts]
    return lambda values: function(*[each(values) for each in arguments])
