"""What answers to questions say about two submissions: texts, wrong answers, and right ones to drawn questions."""

from __future__ import annotations

from grader.gradebook.similarity.evidence import (
    BITS_PER_WORD,
    MAX_SIZE_BITS,
    EvidenceItem,
    EvidenceKey,
    EvidenceKind,
)
from grader.gradebook.similarity.reading import KnownCode, Rows, condensed_text

MIN_REPLIES, BITS_PER_CHARACTER, MAX_REPLY_BITS = 3, 2.0, 8.0
"""Answers to questions that are compared together, and what an answer that is no sentence says by its length."""


def replies_in(student: str, lesson: str, rows: Rows, known: KnownCode) -> dict[EvidenceKey, EvidenceItem]:
    """The answers to a lesson's questions. One that is right for the whole class says nothing."""
    found: dict[EvidenceKey, EvidenceItem] = {}
    for (of, name), row in rows.items():
        if of != lesson or row.answer is None or (row.status == "passed" and name not in known.drawn):
            continue
        text, path = condensed_text(row.answer.text), row.file or lesson
        size = min(MAX_REPLY_BITS, BITS_PER_CHARACTER * len(text))
        if row.answer.waits:
            size = min(MAX_SIZE_BITS, BITS_PER_WORD * len(text.split()))
        kind: EvidenceKind = "right reply" if row.status == "passed" else "reply"
        found["reply", lesson, name, text] = EvidenceItem(
            student, kind, lesson, name, size, path, 1, 1, row.answer.text
        )
    if len(found) >= MIN_REPLIES:
        size = min(MAX_SIZE_BITS, sum(item.size for item in found.values()))
        every = ("replies", lesson, *(f"{name}={text}" for _, _, name, text in sorted(found)))
        found[every] = EvidenceItem(student, "replies", lesson, "", size, next(iter(found.values())).path, 1, 1)
    return found
