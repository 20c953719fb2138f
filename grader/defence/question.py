"""A question of a defence, with its key and what the key was computed from."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any

from grader.questions.kinds import Judged, judge
from grader.questions.question import AnswerKey, Kind, Posed, Question


@dataclass(frozen=True)
class DefenceQuestion:
    """One question about a student's own code.

    Attributes:
        family: the function of grader/defence that made it.
        row: the row of the lesson that it is about.
        text: paragraphs, separated by empty lines; a paragraph of lines indented by four spaces is code.
        choices: {id: text} in the order of the sheet; empty for a number and a shape.
        key: the right answer: a text, or the ids of several choices.
        why: {wrong answer: why it is tempting}.
        model: why the key is right.
        claim: what the key was computed from, for a second computation by another path; not stored.
    """

    family: str
    row: str
    kind: Kind
    text: str
    key: str | tuple[str, ...]
    choices: Mapping[str, str] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)
    model: str = ""
    claim: Mapping[str, Any] = field(default_factory=dict, metadata={"json_name": None})

    @property
    def posed(self) -> Posed:
        """The question as grader.questions asks and judges it."""
        question = Question(self.kind, self.text, choices=self.choices, name="defence")
        return Posed(question, {}, self.text, self.choices)

    @property
    def letters(self) -> dict[str, str]:
        """{id of a choice: its letter on the sheet}"""
        return dict(zip(self.choices, ascii_lowercase, strict=False))

    @property
    def key_text(self) -> str:
        """The right answer as a student writes it on the sheet."""
        if isinstance(self.key, tuple):
            return "".join(sorted(self.letters[each] for each in self.key))
        return self.letters.get(self.key, self.key)

    def judged(self, raw: object) -> Judged:
        """The verdict on an answer."""
        secret = AnswerKey(self.key, 0.005 if self.kind == "number" else None, self.why, "", self.model, ())
        return judge(self.posed, secret, raw)


def shuffled(choices: Mapping[str, str], chance: random.Random) -> dict[str, str]:
    """The choices in the order of one sheet."""
    order = list(choices)
    chance.shuffle(order)
    return {each: choices[each] for each in order}
