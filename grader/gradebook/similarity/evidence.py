"""What a submission has that few others have, and how much each thing says, in bits.

A thing that n of N submissions have says log2(N / (n - 1)) bits about two of them: less, the more others have it, and
less by log2(m) bits if each of the two has m rare mistakes, because then they had many occasions to coincide. What
only two or three have says more, the further it is from every right answer and from what many write. A wrong answer
counts in full, a mistake that the lesson's authors foresaw counts half of its rarity, and an unusual right answer
counts a third.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from grader.gradebook.similarity.reading import KnownCode, ReadFile, Rows, condensed_text, distance
from grader.results import UNWRITTEN, Row
from grader.source.code_forms import FunctionForm

EvidenceKind = Literal[
    "wrong answer",
    "known mistake",
    "wrong numbers",
    "answer",
    "right answer",
    "statements",
    "words",
    "lesson",
    "reply",
    "right reply",
    "replies",
]
"""`answer`: nobody knows whether it is right. `lesson`: the same choices in all functions of a lesson. `reply`: an
answer to a question, `replies`: all of a lesson's that say something."""
WEIGHTS: dict[EvidenceKind, float] = {
    **{"wrong answer": 1.0, "known mistake": 0.5, "wrong numbers": 1.0, "answer": 0.6, "right answer": 0.3},
    **{"statements": 0.5, "words": 1.0, "lesson": 0.6, "reply": 0.5, "right reply": 0.5, "replies": 1.0},
}
BITS_PER_TOKEN, BITS_PER_WORD, MAX_SIZE_BITS = 2.0, 2.5, 20.0
MIN_SHARED, SHARED_BY = 4, 0.03
"""What more than MIN_SHARED students and more than this part of the class have counts as common."""
MIN_LINE_CHARACTERS, MIN_SHARED_WORDS, MIN_SHARED_CHARACTERS = 6, 3, 12
MIN_FUNCTIONS = 4
"""With fewer functions than this, a lesson has too few choices to compare."""
EvidenceKey = tuple[str, ...]


@dataclass(frozen=True)
class EvidenceItem:
    """One thing in a submission that others may have too.

    Attributes:
        kind, lesson, name: what it is, and the function.
        size: the bits of its length, which count where two or three students have it.
        student, path, first, last: where it is.
        quoted: its text where it is an answer to a question.
    """

    student: str
    kind: EvidenceKind
    lesson: str
    name: str
    size: float
    path: str
    first: int
    last: int
    quoted: str = ""


@dataclass
class SubmissionEvidence:
    """A submission as its items, by what must be equal in another one. `forms` are {(lesson, function): form}."""

    items: dict[EvidenceKey, EvidenceItem] = field(default_factory=dict)
    forms: dict[tuple[str, str], str] = field(default_factory=dict)


def evidence_of(
    student: str, files: Mapping[str, ReadFile], rows: Rows, known: Mapping[str, KnownCode]
) -> SubmissionEvidence:
    """The items of a student's submission. `known` is the lessons' own code."""
    found = SubmissionEvidence()
    for path, file in files.items():
        lesson = path.partition("/")[0]
        own = known.get(lesson) or KnownCode()
        choices: dict[str, str] = {}
        for function in file.functions:
            if own.untouched.get(function.name) == function.form or not function.mass:
                continue
            row = rows.get((lesson, function.name))
            if row is not None and row.status in UNWRITTEN:
                continue
            choices[function.name] = function.form
            for key, item in function_items(student, function, lesson, path, row, own):
                found.items.setdefault(key, item)
        found.forms |= {(lesson, name): form for name, form in choices.items()}
        closest = max(own.whole, key=lambda whole: len(whole.items() & choices.items()), default={})
        chosen = dict(choices.items() - closest.items())
        if chosen and len(choices) >= MIN_FUNCTIONS:
            taken = (f"{name}={form}" for name, form in sorted(chosen.items()))
            key = ("lesson", lesson, *taken, repr(sorted(choices)))
            last = max(function.last for function in file.functions)
            found.items[key] = EvidenceItem(student, "lesson", lesson, "", 0, path, 1, last)
        for words, line in file.texts:
            text = condensed_text(words)
            count = len(text.split())
            if text in own.texts or (count < MIN_SHARED_WORDS and len(text) < MIN_SHARED_CHARACTERS):
                continue
            size = min(MAX_SIZE_BITS, BITS_PER_WORD * count)
            found.items.setdefault(
                ("words", lesson, text), EvidenceItem(student, "words", lesson, words, size, path, line, line)
            )
    return found


def function_items(
    student: str, function: FunctionForm, lesson: str, path: str, row: Row | None, known: KnownCode
) -> Iterator[tuple[EvidenceKey, EvidenceItem]]:
    """(what must be equal, item) of one function."""
    is_right = (function.name, function.form) in known.right
    kind: EvidenceKind = "answer"
    if row is not None:
        foreseen = row.mistake is not None and row.mistake.id in known.mistakes
        kind = "right answer" if row.status == "passed" else "known mistake" if foreseen else "wrong answer"
    novelty = distance(function, known.tokens.get(function.name, ()))
    size = 0.0 if kind == "known mistake" else min(MAX_SIZE_BITS, BITS_PER_TOKEN * novelty)
    about = (function.name, size, path, function.first, function.last)
    # a helper may have another name: only functions with a row, or of the answer key, are known by theirs
    named = function.name if row is not None or function.name in known.tokens else ""
    if not is_right and (named or function.mass > MIN_LINE_CHARACTERS):
        yield ("answer", lesson, named, function.form), EvidenceItem(student, kind, lesson, *about)
    if kind == "wrong answer" and row is not None and (numbers := numbers_of(row)):
        place = (function.name, 0.0, path, function.first, function.last)
        yield ("numbers", lesson, function.name, numbers), EvidenceItem(student, "wrong numbers", lesson, *place)
    if is_right or kind == "known mistake":
        return
    weight = WEIGHTS[kind]
    for text, line, mass in function.lines:
        if mass >= MIN_LINE_CHARACTERS and text not in known.lines:
            own = min(MAX_SIZE_BITS, weight * (mass - MIN_LINE_CHARACTERS))
            yield (
                ("line", lesson, named, text),
                EvidenceItem(student, "statements", lesson, function.name, own, path, line, line),
            )


def numbers_of(row: Row) -> str:
    """The errors of a wrong value, by which two different texts that compute the same are known; "" without any."""
    if row.status != "failed" or not row.maxdiff or not row.relative_error:
        return ""
    return f"{row.maxdiff:.5g} {row.relative_error:.5g}"


class Rarity:
    """How many submissions of a class have each item."""

    def __init__(self, evidence: Sequence[SubmissionEvidence]) -> None:
        self.size = len(evidence)
        self.counts = Counter(key for each in evidence for key in each.items)
        self.wrong = {id(each): sum(map(self._is_rare_and_wrong, each.items.items())) for each in evidence}
        self.forms = Counter((place, form) for each in evidence for place, form in each.forms.items())

    def _is_rare_and_wrong(self, entry: tuple[EvidenceKey, EvidenceItem]) -> bool:
        return entry[1].kind in ("wrong answer", "known mistake") and not self.is_common(entry[0])

    def is_common(self, key: EvidenceKey) -> bool:
        return self.counts[key] > max(MIN_SHARED, SHARED_BY * self.size)

    def chances(self, one: SubmissionEvidence, other: SubmissionEvidence) -> float:
        """Bits by which each shared thing says less, because the two had so many occasions to coincide."""
        return math.log2(max(1, min(self.wrong[id(one)], self.wrong[id(other)])))

    def is_rare(self, key: EvidenceKey) -> bool:
        """Whether at least two have it, and not so many that it is common."""
        return self.counts[key] >= 2 and not self.is_common(key)

    def bits(self, key: EvidenceKey, one: EvidenceItem, other: EvidenceItem, chances: float = 0.0) -> float:
        """How much it says that two submissions both have it, less what many occasions to coincide explain."""
        count = self.counts[key]
        if one.kind == other.kind == "right reply":  # the same values were drawn for both
            return 0.0
        if one.kind == "lesson":
            chosen = (entry.partition("=") for entry in key[2:-1])
            choices = (self.size / max(2, self.forms[(one.lesson, name), form]) for name, _, form in chosen)
            return WEIGHTS["lesson"] * sum(min(5.0, math.log2(max(1.0, each))) for each in choices) / (count - 1)
        rarity = math.log2(self.size / (count - 1)) - 1
        size = min(one.size, other.size) / (count - 1) ** 2
        weight = min(WEIGHTS[one.kind], WEIGHTS[other.kind])
        is_text = one.kind in ("words", "reply", "right reply", "replies")
        return max(0.0, weight * (rarity + size - (0.0 if is_text else chances)))
