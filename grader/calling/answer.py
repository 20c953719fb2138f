"""What one call gave: a student's step on one problem, or a function or class that a check calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from torch import Tensor

AnswerOutcome = Literal["returned", "todo", "missing", "raised", "timeout", "crashed", "forbidden", "skipped"]


class Seen(NamedTuple):
    """What an answer depends on.

    `operator` is the one that was evaluated `times` times at close inputs; or "", and there were `times` complex
    results.
    """

    method: Literal["differences", "complex numbers"]
    operator: str
    times: int


class Answer(NamedTuple):
    """The result of one call, or why there is none.

    Of a step, `tensor` is there only if the outcome is "returned" and the step returned a tensor: dense, contiguous, of
    any shape and dtype. Of another call, `value` is what it returned. Everything but these is what the student's own
    process says of itself: good for naming a mistake, never evidence for a pass.
    """

    outcome: AnswerOutcome
    tensor: Tensor | None = None
    kind: str = ""  # the type's name, when what came back from a step was no tensor
    message: str = ""
    line: int | None = None  # in the student's file
    changed: tuple[str, ...] = ()  # arguments that are not what they were before the call
    uses: frozenset[str] = frozenset()  # parameters that the step's code reads
    operators: int = 0  # aten operators dispatched
    low_precision: bool = False  # something was computed in float32 or less although float64 was given
    in_float32: bool = False  # it cannot run in float64, and was run on the same values in float32
    value: object = None
    arguments: Sequence[object] = ()  # as they are after the call, those by name last; of a call with `after`
    dispatched: Mapping[str, int] = {}  # {"tanh": 31}: by aten's names; of a call that is `counted`
    peak_bytes: int = 0  # the most bytes of tensors made by the call that were alive at one moment; the same
    seen: Seen | None = None  # what it depends on; of a call that is `watched`
