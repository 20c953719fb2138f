"""Sentences about one gradient that is not right, or right with a reservation: what the verdict itself knows."""

from __future__ import annotations

from collections.abc import Sequence

from grader.calling.answer import Answer
from grader.results import NamedMistake

IN_FLOAT32 = (
    "Right, as far as float32 goes: it computes in float32 although the values are float64 "
    "(is there a `.float()` or a `dtype=...`?)."
)


JUDGED_IN_FLOAT32 = (
    "Right, judged in float32: in float64 it does not run, because something in it is always float32 (`.float()`, "
    "`dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given."
)
BRACKETS = "Are the brackets missing that call it, as in `x.sum()`?"
QUESTIONS = {
    "None": "Is the last line `return ...`, and is there a value?",
    "tuple of 1": "Did a comma slip in at the end of the line?",
    "function": "Where does the last line's name get its value?",
    "method": BRACKETS,
    "builtin_function_or_method": BRACKETS,
}
"""{what came back in place of a tensor: a question about it}"""


def changed_argument(name: str, changed: Sequence[str]) -> NamedMistake:
    """About arguments that the step changed in place."""
    what = " and ".join(f"`{argument}`" for argument in changed)
    return NamedMistake(
        "changed_argument",
        f"Your `d{name}` changed {what} in place: a step that reads it afterwards gets other numbers. "
        f"`a = b` makes a second name, not a copy; start from `{changed[0]}.clone()`, or write `a = a + ...` "
        "instead of `a += ...`.",
    )


def upstream_left_out(name: str, ones: Sequence[str]) -> NamedMistake:
    return NamedMistake(
        "upstream_left_out",
        f"Your `d{name}` leaves out `d{ones[0]}`. In this network that is all ones, so leaving it out changes nothing "
        "here; in another network it does. Request the upstream gradient as a parameter and multiply by it.",
    )


def not_earned_alone(name: str, missing: str, is_zero: bool) -> NamedMistake:
    """Why a row whose true gradient is zero earns nothing while `missing` is wrong."""
    if not is_zero:
        return NamedMistake(
            "earned_together",
            f"The true `{name}` is zero here, and yours is not. It is computed from the same upstream gradient as "
            f"`{missing}`, which is not right yet: begin there.",
        )
    return NamedMistake(
        "earned_together",
        f"The true `{name}` is zero here, so zeros are right without any work. Its points come with those of "
        f"`{missing}`, which is computed from the same upstream gradient and is not right yet.",
    )


def not_a_tensor(name: str, answer: Answer) -> str:
    if answer.message:  # a joint function that returned something else altogether
        return answer.message
    found = answer.kind
    if found.startswith("numpy."):
        return f"`d{name}` returned {found}; expected a torch.Tensor. Stay in torch, or return `torch.from_numpy(...)`."
    if found not in QUESTIONS:
        return f"`d{name}` returned {found}; expected a torch.Tensor of {name}'s shape."
    what = {"None": "None", "tuple of 1": "a tuple of 1"}.get(found, "a function")
    return f"`d{name}` returned {what}; expected a tensor. {QUESTIONS[found]}"
