"""Sentences for a student about one gradient that is not right, or right with a reservation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from grader.calling.answer import Answer
from grader.comparison.tensors import TensorComparison, relative_error
from grader.reference.problem import Problem
from grader.verdict.explain.circumstances import circumstances
from grader.verdict.explain.claims import FunctionContents
from grader.verdict.explain.error_description import describe_error
from grader.verdict.explain.explanation import Explanation
from grader.verdict.judge.verdicts import Case

IN_FLOAT32 = (
    "Right, as far as float32 goes: it computes in float32 although the values are float64 "
    "(is there a `.float()` or a `dtype=...`?)."
)


JUDGED_IN_FLOAT32 = (
    "Right, judged in float32: in float64 it does not run, because something in it is always float32 (`.float()`, "
    "`dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given."
)


UNSTABLE = 1e-2
"""Relative error in float32, on the published problem, from which the message says that a right formula is unstable."""


def unstable(name: str, problem: Problem, answer: Answer) -> str | None:
    """A note on a step that is right in float64, of its answer to a float32 problem; None where all is well.

    Right formulas stay within the rounding of a few operations there; one that loses most of its digits, or overflows,
    subtracts large numbers from each other, or takes an `exp` that is too large.
    """
    if answer.tensor is None or answer.tensor.shape != problem.reference(name).shape:
        return None
    advice = "What is subtracted from what, and can an `exp` overflow? Look for the form that the forward pass uses."
    if not bool(torch.isfinite(answer.tensor).all()):
        return f"Right in float64, but in float32, at the published sizes, it is not finite. {advice}"
    error = relative_error(answer.tensor, problem.reference(name), problem.scale(name))
    if error <= UNSTABLE:
        return None
    return (
        f"Right in float64, but in float32, at the published sizes, it is off by {error:.1g} of its size, far more "
        f"than rounding. {advice}"
    )


def what_is_wrong(name: str, failing: Sequence[tuple[Case, TensorComparison]], cases: Sequence[Case]) -> str:
    """Where and how far the answer is off, for a mistake that no reading explains."""
    shapes = [each for each in failing if each[1].stage == "shape"]
    (problem, answer), comparison = (shapes or failing)[0]
    assert answer.tensor is not None
    text = describe_error(answer.tensor, problem.reference(name), comparison)
    if 0 < len(shapes) < len(failing):
        text = f"With {problem.draw.describe()}: {text[0].lower()}{text[1:]}"
    wrong = [case[0].draw for case, _ in failing]
    right = [p.draw for p, _ in cases if all(p.draw is not draw for draw in wrong)]
    special = circumstances(wrong, right, of_values=not shapes)
    return f"{text} {special}" if special else text


def not_earned_alone(name: str, missing: str, is_zero: bool) -> Explanation:
    """Why a row whose true gradient is zero earns nothing while `missing` is wrong."""
    if not is_zero:
        return Explanation(
            "earned_together",
            f"The true `{name}` is zero here, and yours is not. It is computed from the same upstream gradient as "
            f"`{missing}`, which is not right yet: begin there.",
        )
    return Explanation(
        "earned_together",
        f"The true `{name}` is zero here, so zeros are right without any work. Its points come with those of "
        f"`{missing}`, which is computed from the same upstream gradient and is not right yet.",
    )


def about_operands(problem: Problem, answer: Answer, meaning: str, contents: FunctionContents | None) -> Iterator[str]:
    """What the code does with its arguments that often makes shapes differ: `.T` of three axes, labels as values."""
    if contents is None or meaning != "shapes_do_not_fit" or not problem.random_upstream:
        return  # a function of many lines reads tensors that the line in question has nothing to do with
    used = {each: problem.given[each] for each in sorted(answer.uses) if each in problem.given}
    used |= {f"d{each}": problem.upstream[each] for each in sorted(problem.upstream) if f"d{each}" in answer.uses}
    if "T" in contents["calls"] and any(isinstance(each, torch.Tensor) and each.ndim > 2 for each in used.values()):
        yield "`.T` reverses all axes of a tensor that has more than two; `.transpose(-2, -1)` swaps the last two."
    for each, value in used.items():
        if each in contents["operands"] and isinstance(value, torch.Tensor) and value.dtype == torch.int64:
            yield f"You calculate with `{each}`, which holds whole numbers that are indices: is it meant as a value?"


def reads_grad(name: str, contents: FunctionContents | None) -> str | None:
    """Advice for a function that reads autograd's `.grad`; None for any other."""
    if contents is None or "grad" not in contents["calls"]:
        return None
    return (
        f"Your `d{name}` reads `.grad`, which is None here: autograd has not run. Compute the gradient from the "
        "upstream gradient and the forward values."
    )


def still_unwritten(contents: FunctionContents | None) -> Explanation | None:
    """Why a function that has code counts as not written yet; None for an ordinary stub."""
    if contents is None or not contents["raise_left"]:
        return None
    return Explanation("raise_left", "The function has code, and `raise NotImplementedError` still ends it.")


def not_a_tensor(name: str, answer: Answer, contents: FunctionContents | None = None) -> str:
    found = answer.kind
    if answer.message:  # a joint function that returned something else altogether
        return answer.message
    if found == "None":
        advice = reads_grad(name, contents) or "Is the last line `return ...`?"
        return f"`d{name}` returned None; expected a tensor. {advice}"
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
