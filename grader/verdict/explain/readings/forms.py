"""What an answer *is*, where nothing says how it differs from the gradient: a value alone, or one number."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.problem_values import float_values, operand
from grader.verdict.explain.wrong_answer import WrongGradient

MIN_ELEMENTS_OF_A_FORM = 3
"""Elements from which a form that fits is no coincidence."""


def operand_alone(wrong: WrongGradient) -> Iterator[Explanation]:
    """One of the step's arguments, or minus it."""
    if max(found.numel() for found in wrong.found) < MIN_ELEMENTS_OF_A_FORM:
        return
    for name in sorted(wrong.uses) or float_values(wrong.problems[0]):
        values = [operand(problem, name) for problem in wrong.problems]
        for minus, sign in (("", 1), ("minus ", -1)):
            if all(value is not None and wrong.equals(n, sign * value) for n, value in enumerate(values)):
                yield Explanation(
                    "operand_alone",
                    f"{wrong.what} is exactly {minus}`{name}`, and nothing else. Is that what the forward line's "
                    "derivative says?",
                )
                return


def constant_elements(wrong: WrongGradient) -> Iterator[Explanation]:
    """Every element the same, on every problem."""
    first = float(wrong.found[0].flatten()[0])
    if max(f.numel() for f in wrong.found) >= MIN_ELEMENTS_OF_A_FORM and all(
        torch.equal(found, torch.full_like(found, first)) for found in wrong.found
    ):
        is_read = any(name.startswith("d") and name[1:] in wrong.problems[0].upstream for name in wrong.uses)
        text = f"Every element of your `d{wrong.name}` is {first:g}, whatever the upstream gradient is"
        yield Explanation("constant", f"{text}." if is_read else f"{text}: it is not used.")
