"""Answers that are words (yes or no, a name), and lists of entries: what do the wrong ones have in common?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grader.comparison.trees import agreement, entries_in_words, shown
from grader.verdict.explain.explanation import Explanation

MAX_PARTS_NAMED = 3
FEW_NUMBERS = 3
"""Different numbers as expected answers, up to which numbers are treated like words."""


@dataclass(frozen=True)
class ComparedAnswer:
    """One answer: its name, what was found, what was expected."""

    name: str
    found: Any
    expected: Any

    @property
    def is_right(self) -> bool:
        return type(self.found) is type(self.expected) and self.found == self.expected

    @property
    def is_word(self) -> bool:
        return isinstance(self.expected, (bool, str)) and isinstance(self.found, (bool, str))

    @property
    def is_number(self) -> bool:
        return type(self.expected) in (int, float) and type(self.found) in (int, float)


def wrong_answers(answers: Sequence[ComparedAnswer]) -> Explanation | None:
    """What the wrong answers of a row have in common, where all answers are words, or one of a few plain numbers."""
    few = len({answer.expected for answer in answers if answer.is_number}) <= FEW_NUMBERS < len(answers)
    one_kind = all(answer.is_word for answer in answers) or (few and all(answer.is_number for answer in answers))
    if len(answers) < 2 or not one_kind:
        return None
    wrong = [answer for answer in answers if not answer.is_right]
    given = {shown(answer.found) for answer in answers}
    right = {shown(answer.expected) for answer in answers}
    if not wrong or len(right) < 2 or not given <= right:
        return None
    if len(given) == 1:
        return Explanation(
            "always_the_same",
            f"The answer is always {given.pop()}; for {len(wrong)} of {len(answers)} questions it is wrong.",
        )
    if len(right) == 2 and len(wrong) == len(answers):
        one, other = sorted(right)
        return Explanation(
            "the_other_way_round",
            f"All {len(answers)} answers are the wrong way round: {one} where {other} is right, and {other} where "
            f"{one} is. Is a comparison or a `not` the wrong way round?",
        )
    slips = {(shown(answer.expected), shown(answer.found)) for answer in wrong}
    if len(slips) == 1:
        return one_sided(answers, wrong, *slips.pop())
    found = {taken for _, taken in slips}
    if len(found) == 1:
        return explain_answer_too_often(wrong, found.pop())
    return None


def one_sided(
    answers: Sequence[ComparedAnswer], wrong: Sequence[ComparedAnswer], expected: str, found: str
) -> Explanation:
    """All wrong answers are `found` in place of `expected`."""
    total = sum(shown(answer.expected) == expected for answer in answers)
    where = "each time" if len(wrong) == total else f"in {len(wrong)} of {total} cases"
    return Explanation(
        "one_sided",
        f"Where {expected} is expected, the answer is {found} {where}: {list_answers(wrong)}. All other answers are "
        "right.",
    )


def explain_answer_too_often(wrong: Sequence[ComparedAnswer], found: str) -> Explanation:
    instead = ", ".join(dict.fromkeys(shown(answer.expected) for answer in wrong))
    return Explanation(
        "one_answer_too_often",
        f"All {len(wrong)} wrong answers are {found}, in place of {instead}: {list_answers(wrong)}. What makes the "
        f"answer {found} comes too early, or holds too often.",
    )


def list_answers(answers: Sequence[ComparedAnswer]) -> str:
    names = list(dict.fromkeys(f"`{answer.name}`" for answer in answers))
    more = f" and {len(names) - MAX_PARTS_NAMED} more" if len(names) > MAX_PARTS_NAMED else ""
    return ", ".join(names[:MAX_PARTS_NAMED]) + more


def wrong_entries(name: str, cases: Sequence[tuple[Any, Any]]) -> Explanation | None:
    """A list that has one entry too few or too many, at one of its ends, and is right otherwise."""
    what = f"`{name}`" if name else "The result"
    if not all(isinstance(part, (list, tuple)) for case in cases for part in case) or not all(len(e) for _, e in cases):
        return None
    if all(not found for found, _ in cases):
        if len(cases) == 1:  # a function that is called with other numbers, too, may give entries there
            return Explanation("empty", f"{what} is empty; expected {entries_in_words(cases[0][1])}.")
        return Explanation("empty", f"{what} is empty on every problem.")
    for words, one, other in (
        ("the last entry is missing", slice(None), slice(None, -1)),
        ("the first entry is missing", slice(None), slice(1, None)),
        ("there is one entry too many at the end", slice(None, -1), slice(None)),
        ("there is one entry too many at the beginning", slice(1, None), slice(None)),
    ):
        if all(agree(found[one], expected[other]) for found, expected in cases):
            return Explanation("one_entry", f"{what} is right except for one thing: {words}.")
    if all(len(f) == len(e) and len(e) > 1 and agree(f[::-1], e) for f, e in cases):
        return Explanation("reversed", f"{what} has the right entries in the opposite order.")
    return None


def agree(found: Sequence[Any], expected: Sequence[Any]) -> bool:
    return len(found) == len(expected) > 0 and agreement(list(found), list(expected)).holds
