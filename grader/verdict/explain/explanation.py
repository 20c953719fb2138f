"""The sentence that names a mistake."""

from __future__ import annotations

from dataclasses import dataclass, field

UNNAMED_MULTIPLE = "multiple"
"""The id of a factor without a name: an explanation that says where it comes from is better."""
SURE = frozenset(
    {"sum_missing", "wrong_axis", "mean_for_sum", "not_broadcast", "keepdim"}
    | {"not_reshaped", "transposed", "reversed", "sign", "branch_missing", "branch_sign", "other_gradient"}
    | {"local_derivative_missing", "upstream_forgotten", "upstream_left_out", "changed_argument"}
)
"""Patterns of the numbers that name the rule that was broken. Of any other pattern, a change of the student's code that
makes the answer right says more."""


@dataclass(frozen=True)
class Explanation:
    """A named mistake: `id` for counting over a class, `message` for the student.

    `known`: the lesson declares the mistake, or it is surely that of a gradient on the way. `line` is that of the file.
    `needs` is what the code must do, or names that it must read, for the message to be true (needs.py). `left_out` are
    gradients without a part in the answer: where the code reads one, a change of the code says more.
    """

    id: str
    message: str
    known: bool = field(default=False, compare=False)
    line: int | None = field(default=None, compare=False)
    needs: tuple[str, ...] = field(default=(), compare=False)
    left_out: tuple[str, ...] = field(default=(), compare=False)
