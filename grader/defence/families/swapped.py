"""Two values of the student's line change places: does it raise, give another shape, or wrong numbers silently?"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

from grader.defence.families.values import are_equal, claim_of, different_sizes, equal_sizes, sizes_given
from grader.defence.lines import Line, Symbol
from grader.defence.material import LineResult, Material, NotNumbers, Raised
from grader.defence.question import DefenceQuestion

SWAP_CHOICES = {
    "raises": "it raises an error",
    "shape": "it returns a result of another shape, without an error",
    "silent": "it returns the right shape with wrong numbers, without an error",
    "same": "it returns the right result all the same",
}
SWAP_REASONS = {
    "raises": "An operation of the line cannot combine these shapes.",
    "shape": "Every operation runs, and the result has another shape.",
    "silent": "Every operation runs, and the result has the right shape: only the numbers are wrong.",
    "same": "The line treats both values alike.",
}


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    wanted = list(SWAP_CHOICES)
    chance.shuffle(wanted)
    best: tuple[str, Line, tuple[str, str], dict[Symbol, int]] | None = None
    for line in lines:
        names = [name for name in line.at.names if name in line.shapes and name not in line.numbers]
        if line.others or len(names) < 2:
            continue
        for one, other in itertools.combinations(names, 2):
            cases = [different_sizes(line, chance), equal_sizes(line)]
            found = [effect_of_swap(material, line, (one, other), sizes, chance) for sizes in cases]
            for answer, sizes in zip(found, cases, strict=True):
                if answer and (best is None or wanted.index(answer) < wanted.index(best[0])):
                    best = answer, line, (one, other), sizes
        if best and best[0] == wanted[0]:
            break
    if best is None:
        return None
    answer, line, (one, other), sizes = best
    text = (
        f"In your line for `{line.shown}`, `{one}` and `{other}` change places by mistake: each takes the other's "
        f"place wherever it is read. {sizes_given(line, sizes)} What happens?"
    )
    why = {name: SWAP_REASONS[answer] for name in SWAP_CHOICES if name != answer}
    model = f"{SWAP_CHOICES[answer].capitalize()}. {SWAP_REASONS[answer]}"
    claim = claim_of(line) | {"swapped": [one, other], "sizes": list(sizes.items())}
    return DefenceQuestion("swapped", line.row, "choice", text, answer, SWAP_CHOICES, why, model, claim)


def effect_of_swap(
    material: Material, line: Line, names: tuple[str, str], sizes: dict[Symbol, int], chance: random.Random
) -> str | None:
    """What happens with two values swapped, the same on two draws; None where it is not decided."""
    one, other = names
    draws = [line.draw(sizes, chance) for _ in range(2)]
    jobs = [
        (line.at.code, line, values)
        for drawn in draws
        for values in (drawn, {**drawn, one: drawn[other], other: drawn[one]})
    ]
    values = material.run(jobs)
    found = {what_happens(values[i], values[i + 1]) for i in (0, 2)}
    return found.pop() if len(found) == 1 else None


def what_happens(own: LineResult, swapped: LineResult) -> str | None:
    if isinstance(own, Raised) or isinstance(swapped, NotNumbers):
        return None
    if isinstance(swapped, Raised):
        return "raises"
    if swapped.shape != own.shape:
        return "shape"
    same = are_equal(swapped, own)
    return None if same is None else "same" if same else "silent"
