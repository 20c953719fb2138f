"""What a scenario calls, see protocol.py: the functions and classes under test, wherever they run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from grader.calling.protocol import Called, CallFailed, Counts, Function, Measurement


class Handle(Protocol):
    """An object that a target has made. Every method raises CallFailed where the target's code fails."""

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """What the method returns."""
        ...

    def get(self, attribute: str) -> Any:
        """An attribute's value."""
        ...

    def set(self, attribute: str, value: Any) -> None: ...


class Target(Protocol):
    """The functions and classes under test. Every method that calls one raises CallFailed where it gives no value."""

    low_precision: bool  # some call so far computed in float32 although float64 was given
    line: int | None  # where the first thing called is defined

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What the function `name` returns."""
        ...

    def counted(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Counts]:
        """(what the function returns, the operators that it dispatched and the bytes of its tensors)."""
        ...

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        """What the function returns and the memory that it takes, or with `cpu_ratio` its processor time.

        Both are compared with `yardstick`, the text of a file with a function of the same name. One call per `key` is
        measured.
        """
        ...

    def apply(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """(what the function returns, its arguments as they are after the call, those by name last)."""
        ...

    def run_with(self, uses: Sequence[str], function: Function, *args: Any) -> Any:
        """What the course's own `function` returns, called in the target's process.

        Its first arguments are the target's functions and classes that `uses` names, then come `args`. It is for code
        that works with objects of these classes, such as an expression with their operators.
        """
        ...

    def new(self, name: str, *args: Any, **kwargs: Any) -> Handle:
        """An object of the class `name`."""
        ...


class BaseTarget:
    """What every target has in common: a call returns its value, or raises CallFailed."""

    line: int | None

    def __init__(self) -> None:
        self.line, self.low_precision = None, False
        self.operators = 0  # aten operators that the calls so far dispatched

    def _returned(self, called: Called, name: str) -> Called:
        """Note what a call of `name` reported. Raises CallFailed where it gave no value."""
        self.line = self.line or called.line
        self.low_precision = self.low_precision or called.counts.low_precision
        self.operators += called.counts.operators
        if called.failed is not None:
            raise CallFailed(called.failed, name)
        return called
