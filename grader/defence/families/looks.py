"""Chooses three right lines and a wrong one so that their looks do not show which one is wrong.

Rewriting makes a line longer, and most mistakes leave something out. Without such a choice, the shortest of the four
lines would be the wrong one every second time.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence

from grader.defence.changed_lines import Variant

MAX_SHUFFLES = 400
TOKEN = re.compile(r"\w+|\*\*|\S")
SHOWN_OPERATORS = ("+", "-", "*", "/", "@", "**")
RIGHT_LINES_SHOWN = 3


def chosen_alike(
    rights: Sequence[Variant], wrongs: Sequence[Variant], own: str, chance: random.Random
) -> tuple[list[Variant], Variant]:
    """RIGHT_LINES_SHOWN of `rights` and one of `wrongs`.

    For each property of a text, such as its length, a random place is drawn that the wrong line should have among the
    four when they are ordered by it. Of many choices, the one that comes nearest to these places is taken.
    """
    looks = {each.code: Look(each.code, own) for each in (*rights, *wrongs)}
    places: list[int] = []
    best: tuple[int, list[Variant], Variant] | None = None
    for _ in range(MAX_SHUFFLES):
        three, wrong = chance.sample(list(rights), RIGHT_LINES_SHOWN), chance.choice(list(wrongs))
        *others, found = properties([looks[each.code] for each in (*three, wrong)])
        places = places or [chance.randrange(RIGHT_LINES_SHOWN + 1) for _ in found]
        distance = sum(
            distance_to(place, value, [each[n] for each in others])
            for n, (place, value) in enumerate(zip(places, found, strict=True))
        )
        if best is None or distance < best[0]:
            best = distance, three, wrong
        if not distance:
            break
    assert best is not None
    return best[1], best[2]


def distance_to(place: int, value: float, others: Sequence[float]) -> int:
    """How far a value is from a place among others; with equal values it has several places."""
    first = sum(each < value for each in others)
    last = first + sum(each == value for each in others)
    return max(first - place, place - last, 0)


class Look:
    """A line's text as somebody sees it who compares texts only: its tokens, and its characters in threes."""

    def __init__(self, code: str, own: str) -> None:
        tokens, of_own = Counter(TOKEN.findall(code)), Counter(TOKEN.findall(own))
        self.length, self.operators, self.brackets = (
            len(code),
            sum(tokens[each] for each in SHOWN_OPERATORS),
            tokens["("],
        )
        self.missing = (of_own - tokens).total()
        self.tokens, self.threes = set(tokens), threes_in(code)
        self.like_own = code_likeness(self.threes, threes_in(own))


def threes_in(text: str) -> set[str]:
    return {text[place : place + 3] for place in range(max(1, len(text) - 2))}


def code_likeness(one: set[str], other: set[str]) -> float:
    """The share of equal threes."""
    return len(one & other) / max(1, len(one | other))


def properties(four: Sequence[Look]) -> list[tuple[float, ...]]:
    """For each of four lines, what can be compared."""
    found: list[tuple[float, ...]] = []
    for look in four:
        others = [each for each in four if each is not look]
        shared = set.intersection(*(each.tokens for each in others))
        anywhere = set.union(*(each.tokens for each in others))
        alike = sum(code_likeness(look.threes, each.threes) for each in others)
        only, lacking = len(look.tokens - anywhere), len(shared - look.tokens)
        found.append((look.length, look.operators, look.brackets, look.missing, look.like_own, alike, only, lacking))
    return found
