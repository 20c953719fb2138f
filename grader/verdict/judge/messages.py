"""Sentences about one gradient that is not right, or right with a reservation: what the verdict itself knows."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from grader.calling.answer import Answer
from grader.comparison.tensors import TensorComparison, index_at
from grader.reference.problem import Draw, Problem
from grader.results import NamedMistake
from grader.results.wording import listed

IN_FLOAT32 = (
    "Right, as far as float32 goes: it computes in float32 although the values are float64 "
    "(is there a `.float()` or a `dtype=...`?)."
)


JUDGED_IN_FLOAT32 = (
    "Right, judged in float32: in float64 it does not run, because something in it is always float32 (`.float()`, "
    "`dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given."
)


def what_is_wrong(
    name: str,
    failing: Sequence[tuple[tuple[Problem, Answer], TensorComparison]],
    cases: Sequence[tuple[Problem, Answer]],
) -> str:
    """Where and how far the answer is off, for a mistake that no reading explains."""
    shapes = [each for each in failing if each[1].stage == "shape"]
    (problem, answer), comparison = (shapes or failing)[0]
    assert answer.tensor is not None
    text = describe_error(answer.tensor, problem.reference(name), comparison)
    if 0 < len(shapes) < len(failing):
        text = f"With {problem.draw.describe()}: {text[0].lower()}{text[1:]}"
    wrong = [case[0].draw for case, _ in failing]
    right = [p.draw for p, _ in cases if all(p.draw is not draw for draw in wrong)]
    special = circumstances(wrong, right)
    return f"{text} {special}" if special else text


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
    found = answer.kind
    if answer.message:  # a joint function that returned something else altogether
        return answer.message
    if found == "None":
        return f"`d{name}` returned None; expected a tensor. Is the last line `return ...`?"
    if found.startswith("numpy."):
        return f"`d{name}` returned {found}; expected a torch.Tensor. Stay in torch, or return `torch.from_numpy(...)`."
    if found.startswith("tuple of 1"):
        return f"`d{name}` returned a tuple of 1; expected a tensor. Did a comma slip in at the end of the line?"
    if found == "function":
        return f"`d{name}` returned a function; expected a tensor. Where does the last line's name get its value?"
    if found in ("method", "builtin_function_or_method"):
        return (
            f"`d{name}` returned a function; expected a tensor. Are the brackets missing that call it, as in `x.sum()`?"
        )
    return f"`d{name}` returned {found}; expected a torch.Tensor of {name}'s shape."


# Where an answer is wrong, and by how much ---------------------------------------------------------------------------

ELEMENT_RTOL = 1e-9
"""An element is right within this share of the gradient's largest."""


def describe_error(found: Tensor, expected: Tensor, comparison: TensorComparison) -> str:
    """Sentences on an answer of the right shape with finite numbers; for any other the comparison's own message."""
    if comparison.message:
        return comparison.message
    difference = (found.double() - expected.double()).abs().nan_to_num(nan=float("inf"))
    index = index_at(int(difference.argmax()), difference.shape)
    return (
        f"The value is wrong: the error is {comparison.relative_error:.2g} of the gradient's size. Worst element "
        f"{list(index)}: found {float(found[index]):.9g}, expected {float(expected[index]):.9g}. "
        f"{wrong_places(found, expected)}"
    ).rstrip()


def wrong_elements(found: Tensor, expected: Tensor) -> Tensor:
    """Booleans in the gradient's shape: where the two differ."""
    return (found.double() - expected.double()).abs() > ELEMENT_RTOL * expected.double().abs().max()


def wrong_places(found: Tensor, expected: Tensor) -> str:
    """A sentence when only some rows, some columns or some elements are wrong."""
    wrong = wrong_elements(found, expected)
    if expected.ndim == 2:
        for axis, word in ((1, "rows"), (0, "columns")):
            lines = wrong.any(axis).nonzero().flatten().tolist()
            total = expected.shape[1 - axis]
            if 0 < len(lines) < total:
                shown = ", ".join(map(str, lines[:5])) + (f" and {len(lines) - 5} more" if len(lines) > 5 else "")
                return f"{out_of(len(lines), total)} {word} are wrong: {shown}."
    count, total = int(wrong.sum()), wrong.numel()
    if 0 < count < total:
        first = [int(i) for i in wrong.nonzero()[0]]
        return f"{out_of(count, total)} elements are wrong, the first of them {first}."
    return ""


def out_of(count: int, total: int) -> str:
    """ "Only 3 of 40", but "39 of 40"."""
    return f"{'Only ' if 2 * count <= total else ''}{count} of {total}"


# On which problems it is wrong ---------------------------------------------------------------------------------------


def circumstances(failing: Sequence[Draw], right: Sequence[Draw]) -> str:
    """A sentence; "" when it fails everywhere.

    Where nothing is special, the first failing problem's sizes are given: any of them may be the cause.
    """
    if not right:
        return ""
    special = smallest_sizes(failing, right, "is right")
    return special or f"It is right on other problems; this one has {failing[0].describe()}."


def smallest_sizes(failing: Sequence[Draw], right: Sequence[Draw], verb: str) -> str:
    """A sentence on sizes of 0 or 1 that only the problems have on which it `verb`, such as no padding; "" for none."""
    special = [
        f"{name} is {size}"
        for name, size in right[0].sizes.items()
        if size <= 1 and all(draw.sizes.get(name) == size for draw in right)
        if all(draw.sizes.get(name) != size for draw in failing)
    ]
    others = "the other problem" if len(right) == 1 else f"{len(right)} other problems"
    return f"It {verb} on {others}, where {listed(special)}." if special else ""
