"""The result of one of a student's steps on one problem."""

from __future__ import annotations

from typing import Literal, NamedTuple

from torch import Tensor

AnswerOutcome = Literal["returned", "todo", "missing", "raised", "timeout", "crashed", "forbidden", "skipped"]


class Answer(NamedTuple):
    """The result of one step on one problem, or why there is none.

    `tensor` is there only if the outcome is "returned" and the step returned a tensor: dense, contiguous, of any shape
    and dtype. Everything but its numbers is what the student's own process says of itself: good for naming a mistake,
    never evidence for a pass.
    """

    outcome: AnswerOutcome
    tensor: Tensor | None = None
    kind: str = ""  # the type's name, when what came back was no tensor
    message: str = ""
    line: int | None = None  # in the student's file
    changed: tuple[str, ...] = ()  # arguments that are not what they were before the call
    uses: frozenset[str] = frozenset()  # parameters that the step's code reads
    operators: int = 0  # aten operators dispatched
    low_precision: bool = False  # some of a float64 step was computed in float32 or less
    in_float32: bool = False  # it cannot run in float64, and was run on the same values in float32
