"""How a lesson declares its known mistakes (solutions/NN_name/mistakes.py).

    @mistake("The mean divides by n: ...")
    def dlogprobs__no_one_over_n(logprobs, Yb, n):
        ...

    no_bessel = edit("BatchNorm1d__no_bessel", "The running variance is ...", old="n - 1", new="n")

The name is the function (a gradient, say), two underscores, and the mistake's id. The body is the wrong formula,
written as a student would; an edit is the lesson's solution with one piece of text replaced. The sentence is what such
a student is told: what the wrong formula means and what to check, not the answer.
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
    """A wrong function in place of `gradient`'s (or of another function's), or an edit of the solution's text."""

    gradient: str
    id: str
    message: str
    function: Callable[..., Any] | None = None
    old: str = ""
    new: str = ""

    def applied_to(self, solution: str) -> str:
        """The solution's text with this mistake in it. Raises ValueError when an edit does not fit exactly once."""
        if self.function is not None:
            return f"{solution}\n\n{self.source()}\n"
        if solution.count(self.old) != 1:
            raise ValueError(
                f"the mistake {self.gradient}__{self.id} replaces {self.old!r}, which stands in the solution "
                f"{solution.count(self.old)} times; expected once."
            )
        return solution.replace(self.old, self.new)

    def source(self) -> str:
        """The wrong formula as a student's file would have it: no decorator, named for the gradient."""
        assert self.function is not None
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
        return Mistake(*_named(function.__name__), " ".join(message.split()), function)

    return declare


def edit(name: str, message: str, old: str, new: str) -> Mistake:
    """A mistake that is one piece of the solution's text replaced: `old`, which stands there once, by `new`.

    Raises ValueError when `name` is not `function__id`.
    """
    return Mistake(*_named(name), " ".join(message.split()), None, old, new)


def _named(name: str) -> tuple[str, str]:
    gradient, separator, identifier = name.partition("__")
    if not (separator and gradient and identifier):
        raise ValueError(f"`{name}`: name a mistake `gradient__what_is_wrong`, for example `dW2__transposed`.")
    return gradient, identifier
