"""Runs steps while numerical_watch.py follows what they do, also outside torch: numpy, math, complex numbers.

Functions whose code can be seen to evaluate nothing many times, as most right answers, need no observation.
"""

from __future__ import annotations

import cmath
import functools
import io
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy
import torch
import torch.nn.functional
from torch import Tensor

from grader.calling.calls import call
from grader.calling.joint import Joint
from grader.calling.numerical_watch import MATH, NUMPY, NumericalWatch, Seen
from grader.calling.steps import run_with_fallback

PLAIN_NAMES = frozenset(
    """
    torch F nn functional T mT t view view_as reshape reshape_as flatten shape size ndim transpose permute expand
    expand_as unsqueeze squeeze clone contiguous dtype device to type_as float double long int len range sum mean max
    min amax argmax indices values zeros zeros_like ones ones_like new_zeros one_hot arange einsum matmul mm enumerate
    zip append addcmul add sub mul div neg index_add index_add_ scatter scatter_ scatter_add scatter_add_ diag
    diagonal outer where
    """.split()  # noqa: SIM905
)
"""Names whose use differentiates nothing: no function that is curved, nothing that calls another function."""
SMALLEST_PLAIN, EPSILON = 0.25, 1e-5
"""A smaller constant may be a step, but the lecture's network has this one."""
LARGEST_PLAIN = 1000
OBSERVED_MODULES = (torch, torch.nn, torch.nn.functional)


def is_plain(function: Callable[..., Any] | None) -> bool:
    """Whether a function has no small constant and only plain names. It may have loops: sums are written so."""
    if type(function) is not FunctionType:
        return False
    code = function.__code__
    return (
        PLAIN_NAMES.issuperset(code.co_names)
        and not code.co_freevars
        and all(map(is_plain_constant, code.co_consts[1:]))
        and names_are_torchs(code, function.__globals__)
    )


def is_plain_constant(value: object) -> bool:
    if isinstance(value, (int, float)):
        return value in (0, EPSILON) or SMALLEST_PLAIN <= abs(value) <= LARGEST_PLAIN
    if isinstance(value, tuple):
        return all(map(is_plain_constant, value))
    return not isinstance(value, (complex, CodeType))


def names_are_torchs(code: CodeType, names: Mapping[str, Any]) -> bool:
    """Whether the file gives none of these names a meaning of its own."""
    own = names.keys() & set(code.co_names)
    return all(names[name] in OBSERVED_MODULES for name in own)


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
                sys.setprofile(self._inspect_variables)
            return original(*args, **kwargs)

        return leave

    def _telling(self, original: Any, name: str, is_complex: bool) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.watch is not None:
                sys.setprofile(self._inspect_variables)
                if is_complex:
                    self.watch.finds_complex()
                else:
                    self.watch.evaluates(name, args)
            return original(*args, **kwargs)

        return call

    def _inspect_variables(self, frame: FrameType, event: str, value: object) -> None:
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


class Nowhere(io.TextIOBase):
    """Takes all text and keeps none: what a step prints was printed when it was run."""

    def write(self, text: str) -> int:
        return len(text)


def observe_steps(
    functions: Mapping[str, Callable[..., Any]],
    steps: Sequence[str],
    dtype: torch.dtype,
    values: Mapping[str, Any],
    upstream: Mapping[str, Tensor],
    files: Sequence[str],
    cap: int,
    joint: Joint | None = None,
) -> dict[str, Seen]:
    """{step: what was seen} of the steps whose answers depend on numerical differentiation.

    `values` are the forward values and `upstream` the upstream gradients by name, without the `d`, all in `dtype` and
    in the shapes of the problem. Never raises for what a function does. `files` and `cap` are as for `call_step`; with
    `joint`, the steps are the gradients that this function returns.
    """
    names = (joint.name,) if joint is not None else steps
    due = {name: functions[name] for name in names if name in functions and not is_plain(functions[name])}
    found: dict[str, Seen] = {}
    if not due:
        return found
    outside = OutsideTorch(files)
    with redirect_stdout(Nowhere()), redirect_stderr(Nowhere()), outside.seen_in(module_names_of(functions)):
        for name, function in due.items():
            watch = NumericalWatch(cap)
            with outside.watched_by(watch):
                given = values, upstream if joint is None else {}
                run_with_fallback(with_watch(function, watch), name, *given, dtype, files, watch)
            pieces: object = {name: watch.answer} if joint is None else joint.pieces(watch.answer)
            for step in steps if joint is not None else (name,):
                answer = pieces.get(step) if isinstance(pieces, dict) else None
                if (seen := watch.seen(answer)) is not None:
                    found[step] = seen
    return found


def observe_call(
    function: Callable[..., Any],
    name: str,
    args: list[Any],
    kwargs: dict[str, Any],
    functions: Mapping[str, Callable[..., Any]],
    files: Sequence[str],
    cap: int,
    may_train: bool,
) -> tuple[Any, Seen | None]:
    """(the value, what was seen) of a call of a check.

    `functions` are the file's, `may_train` as for NumericalWatch, the others as for `calls.call`. Never raises for what
    the function does.
    """
    watch, outside = NumericalWatch(cap, may_train), OutsideTorch(files)
    watch.know((args, kwargs))
    with redirect_stdout(Nowhere()), redirect_stderr(Nowhere()), outside.seen_in(module_names_of(functions)):
        with outside.watched_by(watch), watch:
            called = call(function, name, args, kwargs, files)
        seen = watch.seen(called.value)
    return called.value, seen


def with_watch(function: Callable[..., Any], watch: NumericalWatch) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        watch.know((args, kwargs))
        watch.answer = function(*args, **kwargs)
        return watch.answer

    return run
