"""Which line of a student's function is at fault for a wrong result: the first that assigns a value that is wrong."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import torch


class Blame(NamedTuple):
    """A line of the student's file and the variable that it assigns; "" where the whole function is meant."""

    line: int
    variable: str = ""


class VariableWatch:
    """Looks at a function's local variables line by line: which of those in `expected` never had that value?

    A value may be right at one time only: before it is overwritten in place, or after it was completed in place. A name
    with a tensor of another shape may stand for something else, so it does not count.
    """

    def __init__(
        self, expected: Mapping[str, torch.Tensor], agrees: Callable[[torch.Tensor, torch.Tensor], bool]
    ) -> None:
        self._expected, self._agrees = expected, agrees
        self._looked: dict[str, tuple[int, int]] = {}
        self._right: set[str] = set()

    def look(self, variables: Mapping[str, Any]) -> None:
        for name in self._expected.keys() & variables.keys() - self._right:
            found, true = variables[name], self._expected[name]
            if not isinstance(found, torch.Tensor) or found.shape != true.shape:
                continue
            version = (id(found), found._version)
            if self._looked.get(name) != version:
                self._looked[name] = version
                if self._agrees(found.detach(), true):
                    self._right.add(name)

    @property
    def wrong(self) -> set[str]:
        return self._looked.keys() - self._right


def blamed_line(text: str, function: str, wrong: Collection[str] = ()) -> Blame | None:
    """The first line in `function` that assigns a variable in `wrong`, else the line of the function's definition.

    None where the text has no such function.
    """
    try:
        definitions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError, RecursionError):
        return None
    node = next((node for node in reversed(definitions) if node.name == function), None)
    if node is None:
        return None
    stored = [each for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    lines = sorted((each.lineno, each.id) for each in stored if each.id in wrong)
    return Blame(*lines[0]) if lines else Blame(node.lineno)
