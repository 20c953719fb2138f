"""Rows that are computed with another function of the student's that is wrong itself."""

from __future__ import annotations

from collections.abc import Sequence

from grader.intake.submissions.lesson_files import MAIN, LessonFiles
from grader.lesson.lesson import Lesson
from grader.results import Row
from grader.results.wording import listed_as_code
from grader.source.own_calls import calls_behind, own_calls
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader


def name_wrong_functions(lesson: Lesson, rows: Sequence[Row], unknown: Sequence[Row], submitted: LessonFiles) -> None:
    """Write into wrong rows which other wrong functions of the student's they are computed with.

    Not where another mistake is named. `unknown` are the rows whose messages do not come from a cache.
    """
    joint, of = lesson.joint, {row.name: lesson.item_for(row.name).function for row in rows}
    wrong = [row for row in rows if row.status in ("failed", "shape", "error")]
    functions = list(dict.fromkeys(of[row.name] for row in wrong))
    due = [row for row in unknown if row.status in ("failed", "shape")]
    due = [row for row in due if row.mistake is None or row.mistake.id == "inner_gradient"]
    if not due or len(functions) < 2:
        return
    text = submitted.files[MAIN].decode("utf-8", errors="replace")
    try:
        called = source_reader().call(own_calls, text, functions, functions)
        if joint is not None:
            called |= source_reader().call(calls_behind, text, joint.name, list(joint.returns), functions)
    except (ReadingStopped, ReadingFailed):
        return
    for row in due:
        is_joint = joint is not None and of[row.name] == joint.name
        names = [name for name in called.get(row.name if is_joint else of[row.name], []) if name != of[row.name]]
        if names:
            are = "which is" if len(names) == 1 else "which are"
            uses = f"This is computed with your {listed_as_code(names)}, {are} not right yet: start there."
            row.message = f"{uses} {row.message}" if row.message else uses
            row.mistake = row.mistake and row.mistake._replace(message=row.message)
