"""The sentence that names a mistake."""

from __future__ import annotations

from dataclasses import dataclass, field

MEAN_OR_SUM = "mean_or_sum"
"""The id of an edit of a mean in place of a sum, or a sum in place of a mean."""
UNNAMED_MULTIPLE = "multiple"
"""The id of a factor without a name: an explanation that says where it comes from is better."""
UNUSED = frozenset({"value_unused"})
SURE: dict[str, frozenset[str]] = {
    **dict.fromkeys(("sum_missing", "wrong_axis", "mean_for_sum", "not_broadcast", "held_constant"), frozenset()),
    **dict.fromkeys(("sign", "branch_sign", "keepdim", "not_reshaped", "transposed", "other_gradient"), frozenset()),
    **dict.fromkeys(("local_derivative_missing", "upstream_left_out", "changed_argument"), frozenset()),
    "left_to_the_data": frozenset(),
    **dict.fromkeys(("summed_too_much", "sum_too_many"), frozenset({"wrong_operator"})),
    "ratio": frozenset({MEAN_OR_SUM, "one_too_many", "wrong_operator"}),
    "repeated_index": frozenset({"range", "overwritten"}),
    "zeros": UNUSED,
    "branch_missing": UNUSED | {"reduction_too_many"},
}
"""{a pattern of the numbers that names the rule that was broken: the kinds of edits that say still more}. Of any other
pattern, every edit that makes the answer right says more."""


@dataclass(frozen=True)
class Explanation:
    """A named mistake: `id` for counting over a class, `message` for the student.

    `known` is set where the lesson declares the mistake; `line` is the line of the student's file, where there is one.
    `needs` is what the code must do, or names that it must read, for the message to be true (needs.py).
    """

    id: str
    message: str
    known: bool = field(default=False, compare=False)
    line: int | None = field(default=None, compare=False)
    needs: tuple[str, ...] = field(default=(), compare=False)
