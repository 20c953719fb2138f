"""The pages of a defence: a sheet per student, and the key sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from grader.defence.question import DefenceQuestion
from grader.gradebook.defence_sheets import Sheet
from grader.publish.inert import inert, prose
from grader.publish.templates import page_templates

SHEET_WIDTH, SHEET_HEIGHT = 515, 665
"""Points of an A4 or US letter page for the questions of a sheet."""
FONT_SIZES = [10.5 - step / 4 for step in range(19)]
"""Sizes of letters in points, the largest first."""
SHORT_CHOICE_CHARACTERS = 42
"""Characters of a choice that leaves room for another next to it."""
LEADING, LETTER = 1.38, 0.52
"""The height of a line and the mean width of a letter, in sizes of letters."""


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


def size_of(sheet: Sheet) -> float:
    """The largest letters with which all questions of a sheet fit on one page, in points."""
    return next((size for size in FONT_SIZES if height_of(sheet, size) <= SHEET_HEIGHT), FONT_SIZES[-1])


def is_short(question: DefenceQuestion) -> bool:
    """Whether two choices fit next to each other."""
    return max(map(len, question.choices.values()), default=0) <= SHORT_CHOICE_CHARACTERS


def height_of(sheet: Sheet, size: float) -> float:
    """About how high the questions are with letters of this size, in points."""
    wide = SHEET_WIDTH / (LETTER * size)
    lines = 0.0
    for question in sheet.questions:
        parts = question.text.split("\n\n")
        lines += (
            1.9 + 0.5 * len(parts) + sum(math.ceil(len(line) / wide) for part in parts for line in part.split("\n"))
        )
        if question.choices:
            texts = question.choices.values()
            short = is_short(question)
            lines += 0.3 + (-(-len(texts) // 2) if short else sum(math.ceil(len(text) / (wide - 4)) for text in texts))
    return lines * LEADING * size
