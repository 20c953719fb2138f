"""How a lesson declares its known mistakes (solutions/NN_name/mistakes.py).

    @mistake("The mean divides by n: ...")
    def dlogprobs__no_one_over_n(logprobs, Yb, n):
        ...

The function's name is the gradient, two underscores, and the mistake's id; its body is the wrong formula, written as a
student would; the text is what such a student is told: what the wrong formula means and what to check, not the answer.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mistake:
    gradient: str
    id: str
    message: str
    function: Callable[..., Any]

    def source(self) -> str:
        """The wrong formula as a student's file would have it: no decorator, named for the gradient."""
        tree = ast.parse(textwrap.dedent(inspect.getsource(self.function)))
        definition = tree.body[0]
        assert isinstance(definition, ast.FunctionDef)
        definition.decorator_list, definition.name = [], self.gradient
        return ast.unparse(definition)


def mistake(message: str) -> Callable[[Callable[..., Any]], Mistake]:
    """Declares the decorated wrong formula; `message` is told to a student whose answer equals it.

    Raises ValueError when the function's name is not `gradient__id`.
    """

    def declare(function: Callable[..., Any]) -> Mistake:
        gradient, separator, identifier = function.__name__.partition("__")
        if not (separator and gradient and identifier):
            raise ValueError(
                f"`{function.__name__}`: name a mistake `gradient__what_is_wrong`, for example `dW2__transposed`."
            )
        return Mistake(gradient, identifier, " ".join(message.split()), function)

    return declare
