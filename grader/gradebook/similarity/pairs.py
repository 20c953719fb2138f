"""Which two submissions share most of what few others have, and how much each thing says, in bits.

A thing that n of N submissions have says log2(N / (n - 1)) bits about two of them: less, the more others have it, and
less by log2(m) bits if each of the two has m rare mistakes, because then they had many occasions to coincide. What
only two or three have says more, the further it is from every right answer. A wrong answer counts in full, a mistake
that the lesson's authors foresaw counts half of its rarity, and an unusual right answer counts a third.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, NamedTuple

from grader.gradebook.similarity.reading import KnownCode, ReadClass, Rows
from grader.results import UNWRITTEN, Row
from grader.source.code_forms import FunctionForm

EvidenceKind = Literal["wrong answer", "known mistake", "wrong numbers", "answer", "right answer", "lesson"]
"""`answer`: nobody knows whether it is right. `lesson`: the same choices in all functions of a lesson."""
WEIGHTS: dict[EvidenceKind, float] = {
    **{"wrong answer": 1.0, "known mistake": 0.5, "wrong numbers": 1.0},
    **{"answer": 0.6, "right answer": 0.3, "lesson": 0.6},
}
BITS_PER_TOKEN, MAX_SIZE_BITS = 2.0, 20.0
MAX_CHOICE_BITS = 5.0
MIN_SHARED, SHARED_BY = 4, 0.03
"""What more than MIN_SHARED students and more than this part of the class have counts as common."""
MIN_MASS = 6
"""Of a helper function that is compared: a shorter one says nothing."""
MIN_FUNCTIONS = 4
"""With fewer functions than this, a lesson has too few choices to compare."""
MARGIN_BITS = 2.0
EvidenceKey = tuple[str, ...]


@dataclass(frozen=True)
class EvidenceItem:
    """One thing in a student's submission that others may have too: its kind, its function, and where it is.

    `size` is the bits of its length, which count where two or three students have it.
    """

    student: str
    kind: EvidenceKind
    lesson: str
    name: str
    size: float
    path: str
    first: int
    last: int


class SubmissionEvidence(NamedTuple):
    """A submission as its items, by what must be equal in another one. `forms` are {(lesson, function): form}."""

    items: dict[EvidenceKey, EvidenceItem]
    forms: dict[tuple[str, str], str]


@dataclass(frozen=True)
class SharedEvidence:
    """One thing that two submissions share: the item in each, its bits, and how many others have it."""

    one: EvidenceItem
    other: EvidenceItem
    bits: float
    others: int


@dataclass
class SimilarPair:
    """Two submissions, by their authors' names, with what they share: what says most comes first."""

    one: str
    other: str
    shared: list[SharedEvidence] = field(default_factory=list)

    @property
    def bits(self) -> float:
        return sum(each.bits for each in self.shared)


@dataclass(frozen=True)
class Similarities:
    """The pairs of a class that share anything rare, those that share most first.

    Attributes:
        threshold: bits that no pair of a class of this size is expected to reach by chance.
        size: how many submissions (of one student or one group) were compared.
    """

    pairs: Sequence[SimilarPair]
    threshold: float
    size: int


def similarities(
    read: ReadClass, rows: Mapping[str, Rows], known: Mapping[str, KnownCode], groups: Mapping[str, str] | None = None
) -> Similarities:
    """Compare all submissions of a class with each other.

    Args:
        read: the files by student.
        rows: the verdicts by student; a student who is not graded has none.
        known: the lessons' own code.
        groups: {student: group}. The members of a group work together: they are compared as one.
    """
    evidence: dict[str, SubmissionEvidence] = defaultdict(lambda: SubmissionEvidence({}, {}))
    members: dict[str, list[str]] = defaultdict(list)
    for student, files in read.files.items():
        group = (groups or {}).get(student)
        author = f"group {group}" if group else student
        members[author].append(student)
        own = evidence_of(student, files, rows.get(student, {}), known)
        evidence[author].items.update(own.items)
        evidence[author].forms.update(own.forms)
    names = {author: f"{', '.join(who)} ({author})" if author not in who else author for author, who in members.items()}
    rarity = Rarity(list(evidence.values()))
    mistakes = {author: rarity.mistakes(each.items) for author, each in evidence.items()}
    holders: dict[EvidenceKey, list[str]] = defaultdict(list)
    for author, each in evidence.items():
        for key in filter(rarity.is_rare, each.items):
            holders[key].append(author)
    shared: dict[tuple[str, str], dict[EvidenceKey, SharedEvidence]] = defaultdict(dict)
    for key, authors in holders.items():
        for one, other in combinations(authors, 2):
            first, second = evidence[one].items[key], evidence[other].items[key]
            bits = rarity.bits(key, first, second, min(mistakes[one], mistakes[other]))
            if bits > 0:
                shared[one, other][key] = SharedEvidence(first, second, bits, rarity.counts[key] - 2)
    pairs = [SimilarPair(names[one], names[other], counted_once(found)) for (one, other), found in shared.items()]
    pairs.sort(key=lambda pair: (-pair.bits, pair.one, pair.other))
    size = len(evidence)  # of 2**MARGIN_BITS classes, chance gives one a pair above the threshold
    return Similarities(pairs, math.log2(max(2, size * (size - 1) / 2)) + MARGIN_BITS, size)


def counted_once(found: Mapping[EvidenceKey, SharedEvidence]) -> list[SharedEvidence]:
    """What two submissions share, each function once: its whole text, or else its numbers."""
    whole = {(shared.one.lesson, shared.one.name) for key, shared in found.items() if key[0] == "answer"}
    once = {
        key: (shared.one.lesson, shared.one.name) not in whole or key[0] != "numbers" for key, shared in found.items()
    }
    return sorted((shared for key, shared in found.items() if once[key]), key=lambda each: -each.bits)


def evidence_of(
    student: str, files: Mapping[str, Sequence[FunctionForm]], rows: Rows, known: Mapping[str, KnownCode]
) -> SubmissionEvidence:
    """The items of a student's submission. `known` is the lessons' own code."""
    found = SubmissionEvidence({}, {})
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
        found.forms.update({(lesson, name): form for name, form in choices.items()})
        closest = max(own.whole, key=lambda whole: len(whole.items() & choices.items()), default={})
        chosen = dict(choices.items() - closest.items())
        if chosen and len(choices) >= MIN_FUNCTIONS:
            forms = (f"{name}={form}" for name, form in sorted(chosen.items()))
            last = max(function.last for function in functions)
            found.items["lesson", lesson, *forms, repr(sorted(choices))] = EvidenceItem(
                student, "lesson", lesson, "", 0, path, 1, last
            )
    return found


def function_items(
    student: str, function: FunctionForm, lesson: str, path: str, row: Row | None, known: KnownCode
) -> Iterator[tuple[EvidenceKey, EvidenceItem]]:
    """(what must be equal, item) of one function."""
    kind: EvidenceKind = "answer"
    if row is not None:
        foreseen = row.mistake is not None and row.mistake.id in known.mistakes
        kind = "right answer" if row.status == "passed" else "known mistake" if foreseen else "wrong answer"
    size = 0.0 if kind == "known mistake" else min(MAX_SIZE_BITS, BITS_PER_TOKEN * known.novelty(function))
    # a helper may have another name: only functions with a row, or of the answer key, are known by theirs
    named = function.name if row is not None or function.name in known.tokens else ""
    place = path, function.first, function.last
    if (function.name, function.form) not in known.right and (named or function.mass > MIN_MASS):
        yield (
            ("answer", lesson, named, function.form),
            EvidenceItem(student, kind, lesson, function.name, size, *place),
        )
    # two different texts that compute the same wrong values are known by their errors
    if kind == "wrong answer" and row is not None and row.status == "failed" and row.maxdiff and row.relative_error:
        numbers = f"{row.maxdiff:.5g} {row.relative_error:.5g}"
        item = EvidenceItem(student, "wrong numbers", lesson, function.name, 0.0, *place)
        yield ("numbers", lesson, function.name, numbers), item


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
        if one.kind == "lesson":
            chosen = (entry.partition("=") for entry in key[2:-1])
            choices = (self.size / max(2, self.forms[(one.lesson, name), form]) for name, _, form in chosen)
            bits = sum(min(MAX_CHOICE_BITS, math.log2(max(1.0, each))) for each in choices)
            return WEIGHTS["lesson"] * bits / others
        rarity = math.log2(self.size / others) - 1
        size = min(one.size, other.size) / others**2
        return max(0.0, min(WEIGHTS[one.kind], WEIGHTS[other.kind]) * (rarity + size - math.log2(max(1, mistakes))))
