"""What is special about the problems on which an answer fails, when it is right on others."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from grader.reference.problem import Draw
from grader.results.wording import listed


def circumstances(failing: Sequence[Draw], right: Sequence[Draw], of_values: bool = True) -> str:
    """A sentence; "" when it fails everywhere.

    What all failing problems share and no other has is named: a change of the drawing (in the words of its function's
    docstring), or a size, if it is the only one. Sizes of 0 or 1 that only the right problems have come first: no
    padding, a single example. Otherwise the first failing problem's sizes are given. Where the values are not what
    fails (`of_values`), a change of the drawing may have no part in it.
    """
    if not right:
        return ""
    changes = {draw.change for draw in failing}
    change = next(iter(changes))
    if len(changes) == 1 and change is not None and all(draw.change is not change for draw in right):
        if len(failing) == 1 and not of_values:
            sizes = f"; this one has {failing[0].describe()}. About it" if failing[0].sizes else ". About this one"
            return f"It is right on {other(right)}{sizes}: {change_in_words(change)}"
        return f"It is right on {other(right)}, and wrong where this holds: {change_in_words(change)}"
    degenerate = [
        f"{name} is {size}"
        for name, size in right[0].sizes.items()
        if size <= 1 and all(draw.sizes.get(name) == size for draw in right)
        if all(draw.sizes.get(name) != size for draw in failing)
    ]
    if degenerate:
        return f"It is right on {other(right)}, where {listed(degenerate)}."
    if len(failing) > 1 or smallest(failing[0]):
        special = [
            f"{name} is {size}"
            for name, size in failing[0].sizes.items()
            if all(draw.sizes.get(name) == size for draw in failing) and (len(failing) > 1 or size <= 2)
            if all(draw.sizes.get(name) != size for draw in right)
        ]
        if len(special) == 1:  # of several, any one may be the cause
            return f"It is right on {other(right)}, and wrong where {special[0]}."
    return f"It is right on other problems; this one has {failing[0].describe()}."


def other(right: Sequence[Draw]) -> str:
    return "the other problem" if len(right) == 1 else f"{len(right)} other problems"


def smallest(draw: Draw) -> bool:
    return any(size <= 2 for size in draw.sizes.values())


def change_in_words(change: object) -> str:
    """The first paragraph of a change's docstring, or its name in words."""
    text = " ".join((inspect.getdoc(change) or "").split("\n\n")[0].split())
    if text:
        return text if text.endswith(".") else text + "."
    return getattr(change, "__name__", "a change of the inputs").replace("_", " ") + "."
