"""Makes one renderer or reader fail for one student, and compares what everybody else gets with a run without that."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from grader.gradebook.grading.views import Views
from grader.publish.export import formats
from grader.results import SubmissionResult

RENDERERS = tuple(
    f"grader.{module}:{name}"
    for module, names in {
        "gradebook.database": "standing_of",
        "gradebook.grading.views": "Views._with_extras sources_of",
        "publish.report.pages": (
            "Reporter.student_pages lesson_figure lesson_points note_about "
            "lesson_view next_step sentences_about csv_rows triage "
            "difficulties named_mistakes incomplete lesson_names"
        ),
        "publish.view": "excerpt",
        "publish.pictures": "matrix_picture value_map",
        "publish.report.decisions": "late_texts facts_of_part",
        "publish.report.classroom": "short_notes annotation_cells csv_cell reasons_to_look zero_reason",
        "publish.export.formats": "gradescope_overview explanation_text counted_rows lesson_view",
    }.items()
    for name in names.split()
)
"""Functions that render or read what one student submitted, from pages and files down to a curve and a cell."""


class Injected(Exception):
    """The fault."""


def is_about(student: str, value: Any) -> bool:
    """Whether an argument is a student's name or results, or contains them."""
    if isinstance(value, str):
        return value == student
    if getattr(value, "student", None) == student:
        return True
    results = getattr(value, "results", None)
    if results is not None and getattr(results, "student", None) == student:
        return True
    return isinstance(value, Sequence) and any(getattr(each, "student", None) == student for each in value)


@contextmanager
def failing(renderer: str, student: str, once: bool) -> Iterator[list[str]]:
    """Within, the renderer raises for the student, at its first call or at each. Gives an entry per exception.

    It is about the student if an argument is, or while something of theirs is being written.
    """
    raised, current = list[str](), list[str]()
    module, _, path = renderer.partition(":")
    owner: Any = importlib.import_module(module)
    *classes, name = path.split(".")
    for each in classes:
        owner = getattr(owner, each)
    own, write, export = getattr(owner, name), Views.write_student, formats.export_of

    def replaced(*arguments: Any, **named: Any) -> Any:
        values = (*arguments, *named.values())
        if not (once and raised) and (current == [student] or any(is_about(student, each) for each in values)):
            raised.append(renderer)
            raise Injected(f"{renderer} of {student}")
        return own(*arguments, **named)

    def write_student(self: Views, who: str, *arguments: Any) -> None:
        current[:] = [who]
        try:
            write(self, who, *arguments)
        finally:
            current.clear()

    def export_of(results: SubmissionResult, *arguments: Any) -> Any:
        current[:] = [results.student]
        try:
            return export(results, *arguments)
        finally:
            current.clear()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "export_of", export_of)
        patch.setattr(owner, name, replaced)
        patch.setattr(Views, "write_student", write_student)
        yield raised


def files_in(out: Path) -> dict[str, bytes]:
    """{path: content} of what a class gets."""
    chosen = (path for path in out.rglob("*") if path.is_file() and ".sqlite" not in path.name)
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in chosen}


def of_others(files: Mapping[str, bytes], student: str) -> dict[str, bytes]:
    """The files of all other students, and their lines of grades.csv."""
    found = {name: text for name, text in files.items() if "/" in name and not name.startswith(f"{student}/")}
    lines = [line for line in files["grades.csv"].splitlines() if not line.startswith(student.encode() + b",")]
    return found | {"grades.csv": b"\n".join(lines)}
