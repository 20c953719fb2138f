"""What a step computes outside torch: functions of numpy and math that it calls, complex numbers in its variables."""

from __future__ import annotations

import cmath
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy
from torch import Tensor

from grader.calling.numerical_watch import MATH, NUMPY, NumericalWatch

WAYS_OUT = ("numpy", "tolist", "item")
"""Methods of a tensor after which a step may compute with something other than tensors."""


class OutsideTorch:
    """Within `seen_in`, report to `watch` what the functions of `files` compute outside torch."""

    def __init__(self, files: Sequence[str]) -> None:
        self.watch: NumericalWatch | None = None
        self._files = frozenset(files)

    @contextmanager
    def seen_in(self, names: dict[str, Any]) -> Iterator[None]:
        """`names` are those of the file itself, which may have imported functions under other names."""
        wrapped = {}
        for module, functions in ((numpy, NUMPY), (math, MATH), (cmath, vars(cmath).keys())):
            for name in functions:
                original = vars(module).get(name)
                if callable(original):
                    wrapped[id(original)] = vars(module), name, original, self._telling(original, name, module is cmath)
        places = [(namespace, name, original) for namespace, name, original, _ in wrapped.values()]
        places += [(names, key, wrapped[id(value)][2]) for key, value in names.items() if id(value) in wrapped]
        for namespace, key, original in places:
            namespace[key] = wrapped[id(original)][3]
        for name in WAYS_OUT:
            setattr(Tensor, name, self._way_out(getattr(Tensor, name)))
        try:
            yield
        finally:
            for name in WAYS_OUT:
                delattr(Tensor, name)
            for namespace, key, original in places:
                namespace[key] = original

    @contextmanager
    def watched_by(self, watch: NumericalWatch) -> Iterator[None]:
        self.watch = watch
        try:
            yield
        finally:
            sys.setprofile(None)
            self.watch = None

    def _way_out(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def leave(*args: Any, **kwargs: Any) -> Any:
            if self.watch is not None:
                sys.setprofile(self._look_at_variables)
            return original(*args, **kwargs)

        return leave

    def _telling(self, original: Any, name: str, is_complex: bool) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.watch is not None:
                sys.setprofile(self._look_at_variables)
                if is_complex:
                    self.watch.finds_complex()
                else:
                    self.watch.evaluates(name, args)
            return original(*args, **kwargs)

        return call

    def _look_at_variables(self, frame: FrameType, event: str, value: object) -> None:
        if event != "return" or self.watch is None or frame.f_code.co_filename not in self._files:
            return
        if any(map(is_complex, (value, *frame.f_locals.values()))):
            self.watch.finds_complex()


def is_complex(value: object) -> bool:
    return isinstance(value, complex) or (isinstance(value, numpy.ndarray) and value.dtype.kind == "c")


def module_names_of(functions: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """The names of the module in which a file's functions are."""
    for function in functions.values():
        names = getattr(function, "__globals__", None)
        if type(names) is dict and all(names.get(name) is each for name, each in functions.items()):
            return names
    return {}
