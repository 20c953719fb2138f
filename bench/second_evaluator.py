"""Evaluates lines of tensor arithmetic with numpy: a second path to the keys of a defence, beside torch."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


class NotSupported(Exception):
    """A call or a name that this evaluator does not know."""


def evaluate(code: str, values: Mapping[str, Any]) -> Any:
    """The value of a line. Raises NotSupported, and ValueError or IndexError where shapes do not fit."""
    with np.errstate(all="ignore"):
        return value_of(ast.parse(code, mode="eval").body, values)


OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: np.power(a, float(b)) if np.ndim(b) == 0 else np.power(a, b),
    ast.MatMult: lambda a, b: a @ b,
}


def value_of(node: ast.AST, values: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in values:
            raise NotSupported(node.id)
        return values[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -value_of(node.operand, values)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](value_of(node.left, values), value_of(node.right, values))
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(value_of(each, values) for each in node.elts)
    if isinstance(node, ast.Slice):
        return slice(
            *(None if part is None else value_of(part, values) for part in (node.lower, node.upper, node.step))
        )
    if isinstance(node, ast.Subscript):
        return value_of(node.value, values)[value_of(node.slice, values)]
    if isinstance(node, ast.Attribute):
        return attribute(node.attr, value_of(node.value, values))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        arguments = [value_of(each, values) for each in node.args]
        options = {each.arg: value_of(each.value, values) for each in node.keywords if each.arg}
        if isinstance(node.func.value, ast.Name) and node.func.value.id in ("torch", "F"):
            return call(node.func.attr, arguments, options)
        return call(node.func.attr, [value_of(node.func.value, values), *arguments], options)
    raise NotSupported(type(node).__name__)


def attribute(name: str, value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        raise NotSupported(name)
    if name == "shape":
        return value.shape
    if name == "ndim":
        return value.ndim
    if name in ("T", "mT"):
        if value.ndim < 2:
            if name == "mT":
                raise ValueError("mT of a vector")
            return value
        return np.swapaxes(value, -1, -2) if name == "mT" or value.ndim == 2 else value.transpose()
    raise NotSupported(name)


def axes(value: np.ndarray, dim: Any) -> Any:
    for each in dim if isinstance(dim, tuple) else (dim,):
        if each is not None and not -max(value.ndim, 1) <= each < max(value.ndim, 1):
            raise IndexError("no such axis")
    return dim if value.ndim else None


def call(name: str, arguments: list[Any], options: Mapping[str, Any]) -> Any:
    value, *rest = arguments
    if name in ("sum", "mean"):
        dim = axes(value, options.get("dim", options.get("axis", rest[0] if rest else None)))
        keep = options.get("keepdim", rest[1] if len(rest) > 1 else False)
        return getattr(np, name)(value, axis=dim, keepdims=bool(keep) and dim is not None)
    if name == "cumsum":
        return np.cumsum(value, axes(value, rest[0]))
    if name == "narrow":
        start = rest[1] % value.shape[rest[0]]
        return np.take(value, range(start, start + rest[2]), axes(value, rest[0]))
    if name == "select":
        return np.take(value, rest[1] % value.shape[rest[0]], axes(value, rest[0]))
    if name == "unsqueeze":
        return np.expand_dims(value, rest[0])
    if name == "squeeze":
        axis = axes(value, rest[0])
        return np.squeeze(value, axis) if value.shape[axis] == 1 else value
    if name == "transpose":
        return np.swapaxes(value, rest[0], rest[1])
    if name == "numel":
        return value.size
    if name in ("sqrt", "exp", "log", "tanh", "square", "abs"):
        return getattr(np, name)(value)
    if name == "pow":
        return np.power(value, rest[0])
    if name == "rsqrt":
        return 1 / np.sqrt(value)
    if name in ("ones_like", "zeros_like"):
        return getattr(np, name)(value)
    if name in ("clone", "contiguous"):
        return np.array(value)
    if name in ("matmul", "mm"):
        return value @ rest[0]
    if name == "mul":
        return value * rest[0]
    if name == "einsum":
        return np.einsum(value, *rest)
    if name == "addcmul":
        return value + options.get("value", 1) * rest[0] * rest[1]
    if name in ("view", "reshape"):
        return value.reshape(rest[0] if len(rest) == 1 else tuple(rest))
    raise NotSupported(name)
