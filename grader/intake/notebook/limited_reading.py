"""Reads a notebook or script for all lessons at once, in the process that has limits of time and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.intake.notebook.as_file import NotebookReading
from grader.intake.notebook.cells import NotebookError, cells_of, script_cells
from grader.intake.notebook.reading import read_lesson_part
from grader.intake.notebook.script import Page
from grader.lesson.notebook_table import NotebookLesson
from grader.source.reader import source_reader
from grader.typed_json import from_json


@dataclass(frozen=True)
class NotebookRead:
    """What a notebook or script contains.

    Attributes:
        lessons: {name of a lesson: what there is for it}.
        texts: as in Origin.
        refused: why nothing of it can be read.
    """

    lessons: Mapping[str, NotebookReading] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    refused: str | None = None


def read_notebook_limited(
    data: bytes,
    shown: str,
    is_notebook: bool,
    lessons: Sequence[NotebookLesson],
    definitions: Mapping[str, Mapping[str, int]] = {},
) -> NotebookRead:
    """Reads a notebook's or script's bytes for `lessons`; `shown` is the file's name in messages.

    `definitions`, for each lesson by its name, as in `reading.read_lesson_part`.

    Raises:
        ReadingStopped, ReadingFailed: as SourceReader.call.
        NotebookError: nothing of it can be read.
    """
    answer = source_reader().call(read_notebook, data, shown, is_notebook, lessons, definitions)
    read: NotebookRead = from_json(NotebookRead, answer)
    if read.refused is not None:
        raise NotebookError(read.refused)
    with_texts = {
        name: replace(each, origin=replace(each.origin, texts=read.texts)) for name, each in read.lessons.items()
    }
    return replace(read, lessons=with_texts)


def read_notebook(
    data: bytes,
    shown: str,
    is_notebook: bool,
    lessons: Sequence[NotebookLesson],
    definitions: Mapping[str, Mapping[str, int]] = {},
) -> NotebookRead:
    """As `read_notebook_limited`, without limits; the texts are in the result only, not in each lesson's origin."""
    try:
        cells = cells_of(data, shown) if is_notebook else script_cells(data, shown)
    except NotebookError as error:
        return NotebookRead(refused=str(error))
    page = Page(cells)
    found: dict[str, NotebookReading] = {}
    for lesson in lessons:
        try:
            found[lesson.name] = read_lesson_part(lesson, page, shown, definitions.get(lesson.name, {}))
        except NotebookError as error:
            found[lesson.name] = NotebookReading(refused=str(error))
    return NotebookRead(found, {cell.file: cell.text for cell in cells})
