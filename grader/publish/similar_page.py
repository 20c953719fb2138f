"""similar.html: pairs of submissions side by side, with the reason for each line. Reasons to read, never a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.gradebook.guarded import rendered
from grader.gradebook.similarity.pairs import EvidenceItem, EvidenceKind, SharedEvidence, Similarities, SimilarPair
from grader.gradebook.similarity.reading import FilesByStudent
from grader.publish.excerpt import without_docstring
from grader.publish.inert import inert
from grader.publish.templates import page_templates
from grader.results.wording import count_text

MAX_COMPARED_LINES, MAX_COMPARED_WIDTH = 40, 400
MAX_EVIDENCE_SHOWN = 12
MAX_PAIRS_SHOWN = 200
EVIDENCE_WORDS: dict[EvidenceKind, str] = {
    "wrong answer": "The same wrong answer",
    "known mistake": "The same known mistake, written in the same way",
    "wrong numbers": "Different code that is wrong by the same amounts",
    "answer": "The same code, apart from names and layout",
    "right answer": "The same right answer in an unusual form",
    "lesson": "The same combination of answers in all functions, each of which is more common alone",
}


@dataclass(frozen=True)
class QuotedPassage:
    """A passage of a submission: the student, the place, and its lines as (number, text)."""

    student: str
    place: str
    lines: Sequence[tuple[int, str]]
    is_cut: bool


@dataclass(frozen=True)
class Reason:
    """What two submissions share, in a sentence and side by side."""

    text: str
    bits: float
    sides: Sequence[QuotedPassage]


def reason_text(shared: SharedEvidence) -> str:
    """One sentence: what is shared, and how many others have it."""
    lesson, name = shared.one.lesson, shared.one.name
    others = count_text(shared.others, "other student has it", "others in the class have it")
    others = others if shared.others else "nobody else in the class has it"
    where = f" in `{name}`" if name else ""
    if name != shared.other.name and where:
        where = f" in `{name}` and `{shared.other.name}`"
    return f"{EVIDENCE_WORDS[shared.one.kind]}{where} ({lesson}); {others}."


def reasons_of(pair: SimilarPair, files: FilesByStudent) -> list[Reason]:
    """The strongest reasons of a pair, with excerpts."""
    return [
        Reason(reason_text(shared), shared.bits, [passage_of(shared.one, files), passage_of(shared.other, files)])
        for shared in pair.shared[:MAX_EVIDENCE_SHOWN]
    ]


def passage_of(item: EvidenceItem, files: FilesByStudent) -> QuotedPassage:
    """An excerpt of a student's file, at most MAX_COMPARED_LINES lines, without the function's docstring."""
    if item.kind == "lesson":
        return QuotedPassage(item.student, item.path, (), False)
    texts = files[item.student][item.path].decode("utf-8", "replace").split("\n")[: item.last]
    lines = without_docstring(texts, item.first, MAX_COMPARED_LINES + 1, MAX_COMPARED_WIDTH)
    place = f"{item.path}:{item.first}"
    return QuotedPassage(item.student, place, lines[:MAX_COMPARED_LINES], len(lines) > MAX_COMPARED_LINES)


def similar_page(
    found: Similarities, pairs: Sequence[SimilarPair], files: FilesByStudent, remarks: Sequence[str]
) -> str:
    """The page: `pairs` of `found` side by side. Everything that students wrote is escaped."""
    template, first = page_templates(inert).get_template("similar.html"), pairs[:MAX_PAIRS_SHOWN]

    def page(chosen: Sequence[SimilarPair], faults: Mapping[int, str]) -> str:
        shown = [(pair, reasons_of(pair, files)) for pair in chosen]
        not_shown = [
            f"{first[place].one} and {first[place].other} are similar; a fault of the grader keeps them off this page."
            for place in faults
        ]
        left_out = len(pairs) - len(first)
        return template.render(found=found, shown=shown, remarks=[*remarks, *not_shown], left_out=left_out)

    return rendered(page, first)
