"""Pages for an instructor besides the class page: similar submissions, the sheets of a defence, and their keys.

similar.html shows pairs of submissions side by side, with reasons to read them, never a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from grader.defence.question import DefenceQuestion
from grader.gradebook.defence_sheets import Sheet
from grader.gradebook.guarded import rendered
from grader.gradebook.similarity.pairs import EvidenceItem, EvidenceKind, SharedEvidence, Similarities, SimilarPair
from grader.gradebook.similarity.reading import FilesByStudent
from grader.publish.excerpt import without_docstring
from grader.publish.inert import inert, prose
from grader.publish.templates import page_templates
from grader.results.wording import count_text

MAX_COMPARED_LINES, MAX_COMPARED_WIDTH = 40, 400
MAX_EVIDENCE_SHOWN, MAX_PAIRS_SHOWN = 12, 200
EVIDENCE_WORDS: dict[EvidenceKind, str] = {
    "wrong answer": "The same wrong answer",
    "known mistake": "The same known mistake, written in the same way",
    "wrong numbers": "Different code that is wrong by the same amounts",
    "answer": "The same code, apart from names and layout",
    "right answer": "The same right answer in an unusual form",
    "lesson": "The same combination of answers in all functions, each of which is more common alone",
}
SHEET_WIDTH, SHEET_HEIGHT = 515, 665
"""Points of an A4 or US letter page for the questions of a sheet."""
FONT_SIZES = [10.5 - step / 4 for step in range(19)]
"""Sizes of letters in points, the largest first."""
LEADING, LETTER = 1.38, 0.52
"""The height of a line and the mean width of a letter, in sizes of letters."""
SHORT_CHOICE_CHARACTERS = 42
"""Characters of a choice that leaves room for another next to it."""


# Similar submissions --------------------------------------------------------------------------------------------------


class QuotedPassage(NamedTuple):
    """A passage of a submission: the student, the place, and its lines as (number, text)."""

    student: str
    place: str
    lines: Sequence[tuple[int, str]]
    is_cut: bool


class Reason(NamedTuple):
    """What two submissions share, in a sentence and side by side."""

    text: str
    bits: float
    sides: Sequence[QuotedPassage]


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


def reasons_of(pair: SimilarPair, files: FilesByStudent) -> list[Reason]:
    """The strongest reasons of a pair, with excerpts."""
    return [
        Reason(reason_text(shared), shared.bits, [passage_of(shared.one, files), passage_of(shared.other, files)])
        for shared in pair.shared[:MAX_EVIDENCE_SHOWN]
    ]


def reason_text(shared: SharedEvidence) -> str:
    """One sentence: what is shared, and how many others have it."""
    lesson, name = shared.one.lesson, shared.one.name
    others = count_text(shared.others, "other student has it", "others in the class have it")
    others = others if shared.others else "nobody else in the class has it"
    where = f" in `{name}`" if name else ""
    if name != shared.other.name and where:
        where = f" in `{name}` and `{shared.other.name}`"
    return f"{EVIDENCE_WORDS[shared.one.kind]}{where} ({lesson}); {others}."


def passage_of(item: EvidenceItem, files: FilesByStudent) -> QuotedPassage:
    """An excerpt of a student's file, at most MAX_COMPARED_LINES lines, without the function's docstring."""
    if item.kind == "lesson":
        return QuotedPassage(item.student, item.path, (), False)
    texts = files[item.student][item.path].decode("utf-8", "replace").split("\n")[: item.last]
    lines = without_docstring(texts, item.first, MAX_COMPARED_LINES + 1, MAX_COMPARED_WIDTH)
    place = f"{item.path}:{item.first}"
    return QuotedPassage(item.student, place, lines[:MAX_COMPARED_LINES], len(lines) > MAX_COMPARED_LINES)


# A defence ------------------------------------------------------------------------------------------------------------


def papers_page(sheets: Sequence[Sheet]) -> str:
    """Every sheet on a page of its own, to be printed."""
    return defence_page("defence_papers.html", sheets=sheets)


def keys_page(sheets: Sequence[Sheet]) -> str:
    """The right answers of every sheet, by code, for the instructor."""
    return defence_page("defence_keys.html", sheets=sheets)


def defence_page(name: str, **shown: Any) -> str:
    template = page_templates(inert).get_template(name)
    return template.render(paragraphs=paragraphs, size_of=size_of, is_short=is_short, **shown)


def paragraphs(text: str) -> Markup:
    """The text of a question as HTML: code in <code>, indented paragraphs in <pre>."""
    parts = []
    for part in text.split("\n\n"):
        lines = part.split("\n")
        if all(line.startswith("    ") for line in lines):
            parts.append(Markup("<pre>{}</pre>").format(inert("\n".join(line[4:] for line in lines))))
        else:
            parts.append(Markup("<p>{}</p>").format(prose(" ".join(lines))))
    return Markup("\n").join(parts)


def is_short(question: DefenceQuestion) -> bool:
    """Whether two choices fit next to each other."""
    return max(map(len, question.choices.values()), default=0) <= SHORT_CHOICE_CHARACTERS


def size_of(sheet: Sheet) -> float:
    """The largest letters with which all questions of a sheet fit on one page, in points."""

    def height(size: float) -> float:
        wide = SHEET_WIDTH / (LETTER * size)
        lines = 0.0
        for question in sheet.questions:
            parts = question.text.split("\n\n")
            lines += 1.9 + 0.5 * len(parts)
            lines += sum(math.ceil(len(line) / wide) for part in parts for line in part.split("\n"))
            if is_short(question):
                lines += (0.3 + -(-len(question.choices) // 2)) if question.choices else 0
            else:
                lines += 0.3 + sum(math.ceil(len(text) / (wide - 4)) for text in question.choices.values())
        return lines * LEADING * size

    return next((size for size in FONT_SIZES if height(size) <= SHEET_HEIGHT), FONT_SIZES[-1])
