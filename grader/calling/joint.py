"""A function that returns many gradients at once, taken apart: one answer for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch

from grader.calling.answer import Answer
from grader.calling.failures import failure
from grader.calling.steps import OperatorCount, answer_fields, describe, precision, run_with_fallback


@dataclass(frozen=True)
class Joint:
    """A function that returns many gradients: its name, and what it returns, in order."""

    name: str
    returns: tuple[str, ...]

    def pieces(self, result: object) -> dict[str, object] | str:
        """{name: what was returned for it}, as far as the result has it, or a sentence."""
        expected = ", ".join(self.returns)
        if isinstance(result, Mapping):
            known = {name: result[name] for name in self.returns if name in result}
            return known or f"`{self.name}` returned a dict without any of the keys {expected}."
        flat = list(flatten(result)) if isinstance(result, (tuple, list)) else []
        if len(flat) == len(self.returns):
            return dict(zip(self.returns, flat, strict=True))
        what = f"{len(flat)} values" if flat else describe(result)
        return f"`{self.name}` returned {what}; expected {len(self.returns)} values: {expected}."


def flatten(result: object) -> Iterator[object]:
    if isinstance(result, (tuple, list)):
        for entry in result:
            yield from flatten(entry)
    else:
        yield result


def call_joint(
    function: Callable[..., Any] | None,
    joint: Joint,
    steps: Sequence[str],
    values: Mapping[str, Any],
    dtype: torch.dtype,
    files: Sequence[str] = (),
    watch: AbstractContextManager[OperatorCount] | None = None,
) -> dict[str, Answer]:
    """Runs one function that returns many gradients: {step: answer} for `steps`, all from the one call.

    Its result may be a dict by the names in `joint.returns`, or a tuple or list in that order, in which further ones
    may lie. It may change its arguments: nobody else sees them.
    """
    ran = run_with_fallback(function, joint.name, values, {}, dtype, files, watch)
    if isinstance(ran, Answer):
        return dict.fromkeys(steps, ran)
    try:
        found = joint.pieces(ran.result)
        if isinstance(found, str):
            return dict.fromkeys(steps, Answer("returned", message=found, line=ran.line))
        answers = {
            step: Answer("missing", message=f"`{joint.name}` returned a dict without `{step}`.", line=ran.line)
            for step in steps
            if step not in found
        }
        answers |= {step: Answer("todo", line=ran.line) for step, value in found.items() if value is None}
        return {
            step: answers.get(step)
            or Answer(
                "returned",
                **answer_fields(found[step], ran.values.get(step[1:]), ran.dtype),
                operators=ran.watch.operators,
                line=ran.line,
                **precision(ran, dtype),
            )
            for step in steps
        }
    except BaseException as error:  # what came back may be anything of a student's
        return dict.fromkeys(steps, failure(error, joint.name, files))
