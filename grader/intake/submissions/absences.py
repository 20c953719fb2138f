"""Sentences about lessons that were not found: what is there instead, and what to do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path, PurePath

from grader.intake.submissions.file_kinds import NOTEBOOK
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE

NO_CODE = frozenset(
    {
        ".pdf",
        ".docx",
        ".doc",
        ".odt",
        ".rtf",
        ".pages",
        ".png",
        ".jpg",
        ".jpeg",
        ".heic",
        ".gif",
        ".webp",
        ".html",
        ".htm",
    }
    | {".url", ".webloc", ".gdoc", ".desktop", ".pyc", ".pptx", ".ppt", ".key", ".csv", ".xlsx"}
)
"""Files that are certainly no Python and no archive; others may be, under another name."""


def not_submitted(lesson: Lesson) -> LessonFiles:
    message = f"No folder {lesson.name} was submitted: expected {lesson.name}/{BACKWARD_FILE}."
    return LessonFiles(lesson.name, message=message, nothing=True)


def nothing_gradable(
    shown: str,
    read: Iterable[LessonFiles],
    defined: Collection[str] = (),
    lessons: Iterable[Lesson] = (),
    are_named: bool = False,
) -> str:
    """The sentence about a notebook or Python file for which no lesson is found.

    `read` is what was found for each lesson; `defined` are those of its functions and classes that the sentence may
    name. `are_named` says that the command line has --lesson already.
    """
    attempts = [each.message for each in read if each.message and not each.nothing]
    if attempts:
        return attempts[0]
    where = " in its code cells" if shown.endswith(NOTEBOOK) else ""
    nothing = f"{shown} holds nothing that can be graded: no gradient is assigned{where}, as in `dlogprobs = ...`"
    for lesson in lessons:
        names = sorted({*defined} & {*lesson.functions})
        if names:
            renamed = f"rename it to {lesson.name}{Path(shown).suffix}"
            how = renamed if are_named else f"grade it with --lesson {lesson.number}"
            return (
                f"{nothing}. It defines `{names[0]}`, as {lesson.name} does, which alone does not say that it is for "
                f"that lesson. If it is, {how}."
            )
    return f"{nothing}, and no function of a lesson is defined. Submit the exercise's notebook, or its {BACKWARD_FILE}."


def only_others(names: Sequence[str]) -> str:
    """A sentence about a submission without a Python file, notebook or archive: `names` are those of its files."""
    shown = ", ".join(f"`{name[:80]}`" for name in names[:3]) + (", ..." if len(names) > 3 else "")
    return f"Submitted {shown} and no Python file."


def may_be_code(name: str) -> bool:
    return PurePath(name).suffix.lower() not in NO_CODE
