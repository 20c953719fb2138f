"""What a submission has that few others have, and how much each thing says, in bits.

A thing that n of N submissions have says log2(N / (n - 1)) bits about two of them: less, the more others have it, and
less by log2(m) bits if each of the two has m rare mistakes, because then they had many occasions to coincide. What
only two or three have says more, the further it is from every right answer. A wrong answer counts in full, a mistake
that the lesson's authors foresaw counts half of its rarity, and an unusual right answer counts a third.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from grader.gradebook.similarity.reading import KnownCode, Rows, distance
from grader.results import UNWRITTEN, Row
from grader.source.code_forms import FunctionForm

EvidenceKind = Literal[
    "wrong answer",
    "known mistake",
    "wrong numbers",
    "answer",
    "right answer",
    "lesson",
    "reply",
    "right reply",
    "replies",
]
"""`answer`: nobody knows whether it is right. `lesson`: the same choices in all functions of a lesson. A reply answers
a question; `replies` are all of a lesson together."""
WEIGHTS: dict[EvidenceKind, float] = {
    **{"wrong answer": 1.0, "known mistake": 0.5, "wrong numbers": 1.0, "answer": 0.6, "right answer": 0.3},
    **{"lesson": 0.6, "reply": 0.5, "right reply": 0.5, "replies": 1.0},
}
BITS_PER_TOKEN, MAX_SIZE_BITS = 2.0, 20.0
MAX_CHOICE_BITS = 5.0
MIN_SHARED, SHARED_BY = 4, 0.03
"""What more than MIN_SHARED students and more than this part of the class have counts as common."""
MIN_MASS = 6
"""Of a helper function that is compared: a shorter one says nothing."""
MIN_REPLIES, BITS_PER_CHARACTER, MAX_REPLY_BITS = 3, 2.0, 8.0
"""Replies that are compared together, and the bits of a short reply's length: a number, a letter, a line."""
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
        quoted: a reply.
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
    student: str, files: Mapping[str, Sequence[FunctionForm]], rows: Rows, known: Mapping[str, KnownCode]
) -> SubmissionEvidence:
    """The items of a student's submission. `known` is the lessons' own code."""
    found = SubmissionEvidence()
    for path, functions in files.items():
        lesson = path.partition("/")[0]
        own = known.get(lesson) or KnownCode()
        choices: dict[str, str] = {}
        for function in functions:
            row = rows.get((lesson, function.name))
            is_unwritten = own.untouched.get(function.name) == function.form or not function.mass
            if not is_unwritten and (row is None or row.status not in UNWRITTEN):
                choices[function.name] = function.form
                for key, item in function_items(student, function, lesson, path, row, own):
                    found.items.setdefault(key, item)
        found.forms |= {(lesson, name): form for name, form in choices.items()}
        closest = max(own.whole, key=lambda whole: len(whole.items() & choices.items()), default={})
        chosen = dict(choices.items() - closest.items())
        if chosen and len(choices) >= MIN_FUNCTIONS:
            forms = (f"{name}={form}" for name, form in sorted(chosen.items()))
            last = max(function.last for function in functions)
            found.items["lesson", lesson, *forms, repr(sorted(choices))] = EvidenceItem(
                student, "lesson", lesson, "", 0, path, 1, last
            )
    for lesson, own in known.items():
        found.items |= replies_in(student, lesson, rows, own)
    return found


def function_items(
    student: str, function: FunctionForm, lesson: str, path: str, row: Row | None, known: KnownCode
) -> Iterator[tuple[EvidenceKey, EvidenceItem]]:
    """(what must be equal, item) of one function."""
    kind: EvidenceKind = "answer"
    if row is not None:
        foreseen = row.mistake is not None and row.mistake.id in known.mistakes
        kind = "right answer" if row.status == "passed" else "known mistake" if foreseen else "wrong answer"
    novelty = distance(function, known.tokens.get(function.name, ()))
    size = 0.0 if kind == "known mistake" else min(MAX_SIZE_BITS, BITS_PER_TOKEN * novelty)
    # a helper may have another name: only functions with a row, or of the answer key, are known by theirs
    named = function.name if row is not None or function.name in known.tokens else ""
    if (function.name, function.form) not in known.right and (named or function.mass > MIN_MASS):
        item = EvidenceItem(student, kind, lesson, function.name, size, path, function.first, function.last)
        yield ("answer", lesson, named, function.form), item
    if kind == "wrong answer" and row is not None and (numbers := numbers_of(row)):
        item = EvidenceItem(student, "wrong numbers", lesson, function.name, 0.0, path, function.first, function.last)
        yield ("numbers", lesson, function.name, numbers), item


def numbers_of(row: Row) -> str:
    """The errors of a wrong value, by which two different texts that compute the same are known; "" without any."""
    if row.status != "failed" or not row.maxdiff or not row.relative_error:
        return ""
    return f"{row.maxdiff:.5g} {row.relative_error:.5g}"


def replies_in(student: str, lesson: str, rows: Rows, known: KnownCode) -> dict[EvidenceKey, EvidenceItem]:
    """The answers to a lesson's questions. One that is right for the whole class says nothing."""
    found: dict[EvidenceKey, EvidenceItem] = {}
    for (of, name), row in rows.items():
        if of != lesson or row.answer is None or (row.status == "passed" and name not in known.drawn):
            continue
        text, path = " ".join(row.answer.text.casefold().split()), row.file or lesson
        size = min(MAX_SIZE_BITS if row.answer.waits else MAX_REPLY_BITS, BITS_PER_CHARACTER * len(text))
        kind: EvidenceKind = "right reply" if row.status == "passed" else "reply"
        found["reply", lesson, name, text] = EvidenceItem(
            student, kind, lesson, name, size, path, 1, 1, row.answer.text
        )
    if len(found) >= MIN_REPLIES:
        size = min(MAX_SIZE_BITS, sum(item.size for item in found.values()))
        every = ("replies", lesson, *(f"{name}={text}" for _, _, name, text in sorted(found)))
        found[every] = EvidenceItem(student, "replies", lesson, "", size, next(iter(found.values())).path, 1, 1)
    return found


class Rarity:
    """How many submissions of a class have each item."""

    def __init__(self, evidence: Sequence[SubmissionEvidence]) -> None:
        self.size = len(evidence)
        self.counts = Counter(key for each in evidence for key in each.items)
        self.forms = Counter((place, form) for each in evidence for place, form in each.forms.items())

    def is_common(self, key: EvidenceKey) -> bool:
        return self.counts[key] > max(MIN_SHARED, SHARED_BY * self.size)

    def is_rare(self, key: EvidenceKey) -> bool:
        """Whether at least two have it, and not so many that it is common."""
        return self.counts[key] >= 2 and not self.is_common(key)

    def mistakes(self, items: Mapping[EvidenceKey, EvidenceItem]) -> int:
        """How many wrong functions a submission has that are not common."""
        return sum(
            item.kind in ("wrong answer", "known mistake") and not self.is_common(key) for key, item in items.items()
        )

    def bits(self, key: EvidenceKey, one: EvidenceItem, other: EvidenceItem, mistakes: int) -> float:
        """How much it says that two submissions both have it; each of them has `mistakes` or more."""
        others = self.counts[key] - 1
        if one.kind == other.kind == "right reply":  # the same values were drawn for both
            return 0.0
        if one.kind == "lesson":
            chosen = (entry.partition("=") for entry in key[2:-1])
            choices = (self.size / max(2, self.forms[(one.lesson, name), form]) for name, _, form in chosen)
            bits = sum(min(MAX_CHOICE_BITS, math.log2(max(1.0, each))) for each in choices)
            return WEIGHTS["lesson"] * bits / others
        rarity = math.log2(self.size / others) - 1
        size = min(one.size, other.size) / others**2
        return max(0.0, min(WEIGHTS[one.kind], WEIGHTS[other.kind]) * (rarity + size - math.log2(max(1, mistakes))))
