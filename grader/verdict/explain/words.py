"""Answers that are words (yes or no, a name), and lists of entries: what do the wrong ones have in common?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.comparison.trees import agreement, shown
from grader.results.wording import count_text
from grader.verdict.explain.explanation import Explanation

MAX_PARTS_NAMED = 3
FEW_ANSWERS = 3
"""Different numbers as expected answers, up to which numbers are treated like words."""

ComparedAnswer = tuple[str, Any, Any]
"""(name, found, expected)"""


def wrong_answers(answers: Sequence[ComparedAnswer]) -> Explanation | None:
    """What the wrong answers of a row have in common, where all answers are words, or one of a few plain numbers."""
    of_words = all(isinstance(f, (bool, str)) and isinstance(e, (bool, str)) for _, f, e in answers)
    of_numbers = all(type(f) in (int, float) and type(e) in (int, float) for _, f, e in answers)
    few = of_numbers and len({e for _, _, e in answers}) <= FEW_ANSWERS < len(answers)
    if not (of_words or few):
        return None
    wrong = [(name, shown(f), shown(e)) for name, f, e in answers if type(f) is not type(e) or f != e]
    given, right = {shown(f) for _, f, _ in answers}, {shown(e) for _, _, e in answers}
    if not wrong or len(right) < 2 or not given <= right:
        return None
    if len(right) == 2 and len(wrong) == len(answers):
        one, other = sorted(right)
        return Explanation(
            "the_other_way_round",
            f"All {len(answers)} answers are the wrong way round: {one} where {other} is right, and {other} where "
            f"{one} is. Is a comparison or a `not` the wrong way round?",
        )
    found, *others = {found for _, found, _ in wrong}
    if others:
        return None
    if len(given) == 1:
        text = f"The answer is always {found}; for {len(wrong)} of {len(answers)} questions it is wrong."
        return Explanation("always_the_same", text)
    names = list(dict.fromkeys(f"`{name}`" for name, _, _ in wrong))
    more = f" and {len(names) - MAX_PARTS_NAMED} more" if len(names) > MAX_PARTS_NAMED else ""
    instead = dict.fromkeys(expected for _, _, expected in wrong)
    total = sum(shown(e) in instead for _, _, e in answers)
    where = "each time" if len(wrong) == total else f"in {len(wrong)} of {total} cases"
    return Explanation(
        "one_sided",
        f"Where {' or '.join(instead)} is expected, the answer is {found} {where}: "
        f"{', '.join(names[:MAX_PARTS_NAMED])}{more}. All other answers are right.",
    )


def wrong_entries(name: str, cases: Sequence[tuple[Any, Any]]) -> Explanation | None:
    """A list that is empty, or has one entry too few or too many at one of its ends, and is right otherwise."""
    what = f"`{name}`" if name else "The result"
    if not all(isinstance(part, (list, tuple)) for case in cases for part in case) or not all(len(e) for _, e in cases):
        return None
    if all(not found for found, _ in cases):
        one = (
            f"; expected {count_text(len(cases[0][1]), 'entry', 'entries')}" if len(cases) == 1 else " on every problem"
        )
        return Explanation("empty", f"{what} is empty{one}.")
    for words, own, right in (
        ("the last entry is missing", slice(None), slice(None, -1)),
        ("the first entry is missing", slice(None), slice(1, None)),
        ("there is one entry too many at the end", slice(None, -1), slice(None)),
        ("there is one entry too many at the beginning", slice(1, None), slice(None)),
    ):
        if all(found[own] and agreement(list(found[own]), list(e[right])).holds for found, e in cases):
            return Explanation("one_entry", f"{what} is right except for one thing: {words}.")
    return None
