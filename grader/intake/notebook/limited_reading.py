"""Reads a notebook or script for all lessons at once, in the process that has limits of time and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.intake.notebook.as_file import NotebookReading, Origin
from grader.intake.notebook.cells import NotebookError, cells_of, script_cells, syntax_error
from grader.intake.notebook.forward_lines import ForwardLine
from grader.intake.notebook.reading import read_statements
from grader.intake.notebook.script import Page, script_of
from grader.lesson.notebook_table import NotebookLesson
from grader.source.reader import source_reader
from grader.source.syntax import WrittenNumber


def read_lesson_part(
    lesson: NotebookLesson, page: Page, shown: str, functions: bool = True, definitions: Mapping[str, int] = {}
) -> NotebookReading:
    """What the cells contain for the lesson; `shown` is the name of the whole in messages. Raises NotebookError.

    With `functions` they may also contain the stub's functions: only where it is known which lesson they are for,
    because several lessons have a function `dx`. `definitions` says which of the definitions of a function is the
    lesson's, counted from 0 in the order of the cells; of other functions it is the last one.
    """
    return read_statements(lesson, page, shown, definitions if functions else None)


@dataclass(frozen=True)
class NotebookRead:
    """What a notebook or script contains.

    Attributes:
        lessons: {name of a lesson: what there is for it}.
        cells: how many code cells there are; of a script 1, or 0 where Python cannot parse it.
        defined: the functions and classes outside of others.
        too_much: why `defined` is not known.
        syntax_error: of a script that Python cannot parse.
    """

    lessons: Mapping[str, NotebookReading] = field(default_factory=dict)
    cells: int = 0
    defined: frozenset[str] = frozenset()
    too_much: str | None = None
    syntax_error: str | None = None


def read_notebook_limited(
    data: bytes,
    shown: str,
    is_notebook: bool,
    lessons: Sequence[NotebookLesson],
    functions: bool,
    definitions: Mapping[str, Mapping[str, int]] = {},
) -> NotebookRead:
    """Reads a notebook's or script's bytes for `lessons`; `shown` is the file's name in messages, `functions` as in
    `read_lesson_part`, and `definitions` too, for each lesson by its name.

    Raises:
        ReadingStopped, ReadingFailed: as SourceReader.call.
        NotebookError: nothing of it can be read.
    """
    answer = source_reader().call(notebook_data, data, shown, is_notebook, lessons, functions, definitions)
    if "refused" in answer:
        raise NotebookError(answer["refused"])
    found = {name: reading_from_data(entry, answer["texts"]) for name, entry in answer["lessons"].items()}
    return NotebookRead(
        found, answer["cells"], frozenset(answer["defined"] or ()), answer.get("too_much"), answer["syntax_error"]
    )


def reading_from_data(entry: Mapping[str, Any], texts: Mapping[str, str]) -> NotebookReading:
    """The Reading that `notebook_data` took apart."""
    origin, source = entry["origin"], entry["source"]
    origin["texts"] = texts if origin["texts"] else {}
    for key in ("rows", "lines"):
        origin[key] = {place: (file, line) for place, (file, line) in origin[key]}
    origin["numbers"] = {
        row: [WrittenNumber(*number) for number in numbers] for row, numbers in origin["numbers"].items()
    }
    origin["forward"] = {value: ForwardLine(*line) for value, line in origin["forward"].items()}
    source = None if source is None else source.encode("utf-8", "surrogatepass")
    return NotebookReading(**{**entry, "source": source, "origin": Origin(**origin)})


def notebook_data(
    data: bytes,
    shown: str,
    is_notebook: bool,
    lessons: Sequence[NotebookLesson],
    functions: bool,
    definitions: Mapping[str, Mapping[str, int]] = {},
) -> dict[str, Any]:
    """What `read_notebook_limited` returns, as JSON can hold it; {"refused": why} where nothing of it can be read."""
    try:
        cells = cells_of(data, shown) if is_notebook else script_cells(data, shown)
    except NotebookError as error:
        return {"refused": str(error)}
    page = Page(cells)
    fault = None if is_notebook else syntax_error(data)
    count = len(cells) if fault is None else 0
    answer: dict[str, Any] = {"cells": count, "texts": {cell.file: cell.text for cell in cells}, "lessons": {}}
    answer["syntax_error"] = fault
    for lesson in lessons:
        try:
            reading = read_lesson_part(lesson, page, shown, functions, definitions.get(lesson.name, {}))
        except NotebookError as error:
            reading = NotebookReading(refused=str(error))
        origin = {
            **vars(reading.origin),
            "texts": bool(reading.origin.texts),  # those of the page, sent once
            "lines": [*reading.origin.lines.items()],
            "rows": [*reading.origin.rows.items()],
        }
        source = None if reading.source is None else reading.source.decode("utf-8", "surrogatepass")
        answer["lessons"][lesson.name] = {**vars(reading), "source": source, "origin": origin}
    try:
        answer["defined"] = sorted(script_of(page, ()).functions)
    except NotebookError as error:
        answer["defined"], answer["too_much"] = None, str(error)
    return answer
