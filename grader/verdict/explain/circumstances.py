"""What is special about the problems on which an answer fails, when it is right on others."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from grader.reference.problem import Draw
from grader.results.wording import listed


def circumstances(failing: Sequence[Draw], right: Sequence[Draw], of_values: bool = True) -> str:
    """A sentence; "" when it fails everywhere.

    Where nothing is special, the first failing problem's sizes are given: any of them may be the cause. Where the
    values are not what fails (`of_values`), as in a wrong shape, a change of the drawing has no part in it.
    """
    if not right:
        return ""
    if special := smallest_sizes(failing, right, "is right"):
        return special
    changes = {draw.change for draw in failing}
    change = next(iter(changes))
    if of_values and len(changes) == 1 and change is not None and all(draw.change is not change for draw in right):
        return f"It is right on {other(right)}, and wrong where this holds: {change_in_words(change)}"
    return f"It is right on other problems; this one has {failing[0].describe()}."


def smallest_sizes(failing: Sequence[Draw], right: Sequence[Draw], verb: str) -> str:
    """A sentence on sizes of 0 or 1 that only the problems have on which it `verb`, such as no padding; "" for none."""
    special = [
        f"{name} is {size}"
        for name, size in right[0].sizes.items()
        if size <= 1 and all(draw.sizes.get(name) == size for draw in right)
        if all(draw.sizes.get(name) != size for draw in failing)
    ]
    return f"It {verb} on {other(right)}, where {listed(special)}." if special else ""


def other(right: Sequence[Draw]) -> str:
    return "the other problem" if len(right) == 1 else f"{len(right)} other problems"


def change_in_words(change: object) -> str:
    """The first paragraph of a change's docstring, or its name in words."""
    text = " ".join((inspect.getdoc(change) or "").split("\n\n")[0].split())
    if text:
        return text if text.endswith(".") else text + "."
    return getattr(change, "__name__", "a change of the inputs").replace("_", " ") + "."
