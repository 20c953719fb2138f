"""A function that returns many gradients at once, taken apart: one answer for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from grader.calling.answer import Answer
from grader.calling.failures import failure
from grader.calling.operators import OperatorWatch
from grader.calling.steps import as_step, call_by_name, describe


class Joint(NamedTuple):
    """A function that returns many gradients: its name, and what it returns, in order."""

    name: str
    returns: tuple[str, ...]

    def pieces(self, result: object) -> dict[str, object] | str:
        """{name: what was returned for it}, as far as the result has it, or a sentence.

        A result is a tree of tuples, lists and dicts. What a dict contains goes by its key, `dW` or the parameter's own
        name, `W`. What is in no dict goes by its place among the names that no dict has.
        """
        expected = ", ".join(self.returns)
        named: dict[str, object] = {}
        places = list(self._sorted_out(result, named)) if isinstance(result, (tuple, list, Mapping)) else []
        others = [name for name in self.returns if name not in named]
        if isinstance(result, Mapping) and not named:
            return f"`{self.name}` returned a dict without any of the keys {expected}."
        if len(places) == len(others) or (named and len(places) < len(others)):
            found = {**named, **dict(zip(others, places, strict=False))}
            return {name: found[name] for name in self.returns if name in found}
        what = f"{len(places) + len(named)} values" if places else describe(result)
        return f"`{self.name}` returned {what}; expected {len(self.returns)} values: {expected}."

    def _sorted_out(self, result: object, named: dict[str, object]) -> Iterator[object]:
        """The values of `result` that are in no dict, in order; those in a dict are put into `named`."""
        if isinstance(result, (tuple, list)):
            for entry in result:
                yield from self._sorted_out(entry, named)
        elif isinstance(result, Mapping):
            for name in self.returns:
                key = name if name in result else name[1:]
                if key in result:
                    named[name] = result[key]
        else:
            yield result


def as_stack(found: object) -> object:
    """A list of tensors of one shape, such as one per layer, as one tensor; anything else as it is."""
    entries = list(found) if isinstance(found, (tuple, list)) else []
    if entries and all(isinstance(each, torch.Tensor) and each.shape == entries[0].shape for each in entries):
        return torch.stack(entries)
    return found


def call_joint(
    function: Callable[..., Any] | None,
    joint: Joint,
    steps: Sequence[str],
    values: Mapping[str, Any],
    dtype: torch.dtype,
    files: Sequence[str] = (),
    watch: OperatorWatch | None = None,
) -> dict[str, Answer]:
    """Runs one function that returns many gradients: {step: answer} for `steps`, all from the one call.

    Its result may be a dict by the names in `joint.returns`, or a tuple or list in that order, in which further ones
    may lie. It may change its arguments: nobody else sees them.
    """
    answer = call_by_name(function, joint.name, values, {}, dtype, files, watch)
    if answer.outcome != "returned":
        return dict.fromkeys(steps, answer)
    answer = answer._replace(changed=(), uses=frozenset())
    try:
        found = joint.pieces(answer.value)
    except BaseException as error:  # what came back may be anything of a student's
        return dict.fromkeys(steps, failure(error, joint.name, files))
    if isinstance(found, str):
        return dict.fromkeys(steps, Answer("returned", message=found, line=answer.line))

    def of_step(step: str) -> Answer:
        if step not in found:
            message = f"`{joint.name}` returned a dict without `{step}`."
            return Answer("missing", message=message, line=answer.line)
        piece = found[step]
        if piece is None:
            return Answer("todo", line=answer.line)
        return as_step(answer, step, as_stack(piece), values, dtype, files)

    return {step: of_step(step) for step in steps}
