"""Pages for an instructor besides the class page: similar submissions, the sheets of a defence, and their keys.

similar.html shows pairs of submissions side by side, with reasons to read them, never a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from grader.gradebook.defence_sheets import Sheet
from grader.gradebook.similarity.pairs import EvidenceItem, EvidenceKind, SharedEvidence, Similarities, SimilarPair
from grader.gradebook.similarity.reading import FilesByStudent
from grader.publish.excerpt import without_docstring
from grader.publish.inert import inert
from grader.publish.templates import page_templates
from grader.results.wording import count_text

MAX_COMPARED_LINES, MAX_COMPARED_WIDTH = 40, 400
EVIDENCE_WORDS: dict[EvidenceKind, str] = {
    "wrong answer": "The same wrong answer",
    "known mistake": "The same known mistake, written in the same way",
    "wrong numbers": "Different code that is wrong by the same amounts",
    "answer": "The same code, apart from names and layout",
    "right answer": "The same right answer in an unusual form",
    "lesson": "The same combination of answers in all functions, each of which is more common alone",
}


def similar_page(
    found: Similarities, pairs: Sequence[SimilarPair], files: FilesByStudent, remarks: Sequence[str]
) -> str:
    """The page: `pairs` of `found` side by side, with excerpts. Everything that students wrote is escaped."""
    template = page_templates(inert).get_template("similar.html")
    return template.render(
        found=found,
        pairs=pairs,
        remarks=remarks,
        most_lines=MAX_COMPARED_LINES,
        reason_text=reason_text,
        lines_of=partial(lines_of, files=files),
    )


def reason_text(shared: SharedEvidence) -> str:
    """One sentence: what is shared, and how many others have it."""
    lesson, name = shared.one.lesson, shared.one.name
    others = count_text(shared.others, "other student has it", "others in the class have it")
    others = others if shared.others else "nobody else in the class has it"
    where = f" in `{name}`" if name else ""
    return f"{EVIDENCE_WORDS[shared.one.kind]}{where} ({lesson}); {others}."


def lines_of(item: EvidenceItem, files: FilesByStudent) -> Sequence[tuple[int, str]]:
    """The numbered lines of a student's file that are shown, without the function's docstring; one more if cut."""
    texts = files[item.student][item.path].decode("utf-8", "replace").split("\n")[: item.last]
    return without_docstring(texts, item.first, MAX_COMPARED_LINES + 1, MAX_COMPARED_WIDTH)


def defence_page(kind: str, sheets: Sequence[Sheet]) -> str:
    """Of every sheet the `papers`, to be printed, each on pages of its own; or the `keys`: right answers, by code."""
    return page_templates(inert).get_template(f"defence_{kind}.html").render(sheets=sheets)
