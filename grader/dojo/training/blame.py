"""Which line of a student's function is at fault for a wrong result: the first that assigns a value that differs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch

Agrees = Callable[[torch.Tensor, torch.Tensor], bool]


class Blame(NamedTuple):
    """A line of the student's file and the variable that it assigns; "" where the whole function is meant."""

    line: int
    variable: str = ""


def blamed_line(
    text: str, function: str, variables: Mapping[str, Any], expected: Mapping[str, torch.Tensor], agrees: Agrees
) -> Blame | None:
    """The first line in `function` that assigns a variable with another value than `expected` has under its name.

    `variables` are the function's local variables when it returned. A name counts only where its shape is the
    expected one: otherwise it may stand for something else. Without such a line, that of the definition; None where the
    text has no such function.
    """
    try:
        definitions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError, RecursionError):
        return None
    node = next((node for node in reversed(definitions) if node.name == function), None)
    if node is None:
        return None
    for line, name in sorted((line, name) for name, line in assignments(node).items()):
        found, true = variables.get(name), expected.get(name)
        if isinstance(found, torch.Tensor) and true is not None and found.shape == true.shape:
            if not agrees(found.detach(), true):
                return Blame(line, name)
    return Blame(node.lineno)


def assignments(function: ast.FunctionDef) -> dict[str, int]:
    """{variable: the line on which it is last assigned}."""
    stored = (node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    found: dict[str, int] = {}
    for node in stored:
        found[node.id] = max(found.get(node.id, 0), node.lineno)
    return found
