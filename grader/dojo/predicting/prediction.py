"""A prediction: a question about what code will do, and what it did when it ran."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.defence.question import Chance, DefenceQuestion, shuffled
from grader.results.wording import listed_as_code


@dataclass(frozen=True)
class Prediction(DefenceQuestion):
    """One question, with the answer that running the code gave; `row` is what it is about, in a few words.

    `code` are lines of code that the text is about. `model` is what the run showed, in sentences, and why.
    """

    code: Sequence[str] = ()


NONE = "none_of_them"
MOST_NAMED = 6


def rows_question(
    title: str, text: str, code: Sequence[str], red: Sequence[str], green: Sequence[str], why: str, chance: Chance
) -> Prediction:
    """Which of up to six rows turn red? `red` are those that did, `green` rows that did not."""
    some = chance.sample(list(red), min(len(red), 3)), chance.sample(list(green), min(len(green), 3))
    choices = shuffled({row: f"`{row}`" for row in (*some[0], *some[1])}, chance) | {NONE: "none of them"}
    key = tuple(row for row in choices if row in red) or (NONE,)
    shown = f"Red: {listed_as_code(red, MOST_NAMED)}." if red else "No other row turned red."
    whys = dict.fromkeys(choices, "")
    return Prediction("", title, "multiple", text, key, choices, whys, model=f"{shown} {why}", code=code)
