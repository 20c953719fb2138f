"""Which two submissions share most of what few others have."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from grader.gradebook.similarity.evidence import EvidenceItem, EvidenceKey, Rarity, SubmissionEvidence, evidence_of
from grader.gradebook.similarity.reading import KnownCode, ReadClass, Rows

MARGIN_BITS = 2.0


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
    """The pairs of a class, those that share most first.

    Attributes:
        pairs: all that share anything rare.
        threshold: bits that no pair of a class of this size is expected to reach by chance.
        size: how many submissions (of one student or one group) were compared.
    """

    pairs: Sequence[SimilarPair]
    threshold: float
    size: int


def threshold_for(size: int) -> float:
    """log2 of the number of pairs, and a margin: of 2**MARGIN_BITS classes, chance gives one a pair above it."""
    return math.log2(max(2, size * (size - 1) / 2)) + MARGIN_BITS


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
    evidence: dict[str, SubmissionEvidence] = defaultdict(SubmissionEvidence)
    members: dict[str, list[str]] = defaultdict(list)
    for student, files in read.files.items():
        group = (groups or {}).get(student)
        author = f"group {group}" if group else student
        members[author].append(student)
        own = evidence_of(student, files, rows.get(student, {}), known)
        evidence[author].items |= own.items
        evidence[author].forms |= own.forms
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
    return Similarities(pairs, threshold_for(len(evidence)), len(evidence))


def counted_once(found: Mapping[EvidenceKey, SharedEvidence]) -> list[SharedEvidence]:
    """What two submissions share, each function once: its whole text, or else its numbers."""
    whole = {(shared.one.lesson, shared.one.name) for key, shared in found.items() if key[0] == "answer"}
    kept = [
        shared
        for key, shared in found.items()
        if key[0] != "numbers" or (shared.one.lesson, shared.one.name) not in whole
    ]
    return sorted(kept, key=lambda each: -each.bits)
