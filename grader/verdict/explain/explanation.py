"""The sentence that names a mistake."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

MAX_JOINED = 2
"""Explanations that one message gives."""


@dataclass(frozen=True)
class Explanation:
    """A named mistake: `id` for counting over a class, `message` for the student.

    `known` is set where the lesson declares the mistake; `line` is the line of the student's file, where there is one.
    """

    id: str
    message: str
    known: bool = field(default=False, compare=False)
    line: int | None = field(default=None, compare=False)


def join_explanations(explanations: Iterable[Explanation]) -> Explanation | None:
    """Several explanations as one, under the first one's id; None where there are none."""
    found = list(explanations)
    if not found:
        return None
    sentences = dict.fromkeys(explanation.message for explanation in found)
    return Explanation(found[0].id, " Also: ".join(sentences), found[0].known)
