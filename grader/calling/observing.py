"""Runs steps while it is watched what they do, see numerical_watch.py."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import torch
from torch import Tensor

from grader.calling.joint import Joint
from grader.calling.numerical_watch import NumericalWatch, Seen
from grader.calling.outside_torch import OutsideTorch, module_names_of
from grader.calling.plain_code import is_plain
from grader.calling.steps import run_with_fallback


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
                run_with_fallback(watched(function, watch), name, *given, dtype, files, watch)
            pieces: object = {name: watch.answer} if joint is None else joint.pieces(watch.answer)
            for step in steps if joint is not None else (name,):
                answer = pieces.get(step) if isinstance(pieces, dict) else None
                if (seen := watch.seen(answer)) is not None:
                    found[step] = seen
    return found


def watched(function: Callable[..., Any], watch: NumericalWatch) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        watch.know((args, kwargs))
        watch.answer = function(*args, **kwargs)
        return watch.answer

    return run
