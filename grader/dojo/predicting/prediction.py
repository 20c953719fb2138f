"""A prediction: a question about what code will do, and what it did when it ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.defence.question import Chance, no_code, shuffled
from grader.questions.judging import Judged, judge
from grader.questions.posing import Posed
from grader.questions.question import AnswerKey, Kind, Question
from grader.results.wording import listed_as_code


@dataclass(frozen=True)
class Prediction:
    """One question, with the answer that running the code gave.

    Attributes:
        title: what it is about, in a few words.
        code: lines of code that the text is about.
        choices: {id: text} in the order in which they are shown; none for a shape.
        key: a shape, an id, or the ids of several choices.
        shown: what the run showed, in sentences, and why.
    """

    title: str
    kind: Kind
    text: str
    key: str | tuple[str, ...]
    shown: str
    code: Sequence[str] = ()
    choices: Mapping[str, str] = field(default_factory=dict)

    @property
    def posed(self) -> Posed:
        return Posed(Question("prediction", self.kind, self.text, choices=self.choices), {}, self.text, self.choices)

    def judged(self, raw: object) -> Judged:
        """The verdict. An answer of another form is an error with a sentence."""
        why = dict.fromkeys(self.choices, "") if self.kind == "multiple" else {}
        return judge(self.posed, AnswerKey(self.key, None, why, "", "", ()), raw, no_code)


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
    return Prediction(title, "multiple", text, key, f"{shown} {why}", code, choices)
