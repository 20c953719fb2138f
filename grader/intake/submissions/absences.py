"""Sentences about lessons that were not found: what is there instead, and what to do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path, PurePath

from grader.intake.submissions.file_kinds import NOTEBOOK, suffix_of
from grader.intake.submissions.gathered import Gathered
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.lesson_finder import Wanted
from grader.intake.submissions.lesson_names import is_named
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


def not_found(lesson: Lesson, files: Gathered, wanted: Wanted) -> LessonFiles:
    """A lesson that no file of a submission is: what there is in its place."""
    if files.is_empty:
        message = f"The folder is empty: expected {lesson.name}/{BACKWARD_FILE}."
        return LessonFiles(lesson.name, message=message, nothing=True)
    folder = max(files.folders, key=lambda each: is_named(each.rpartition("/")[2], lesson), default="")
    is_there = bool(folder) and is_named(folder.rpartition("/")[2], lesson) > 0
    here = folder if is_there else files.files[0].folder if files.files else ""
    near = [each.path.name for each in files.files if each.folder == here and suffix_of(each.path) in (".py", NOTEBOOK)]
    if not is_there and not (len(wanted.lessons) == 1 and near):
        message = f"No folder {lesson.name} was submitted: expected {lesson.name}/{BACKWARD_FILE}."
        return LessonFiles(lesson.name, message=message, nothing=True)
    found = f"; found {', '.join(near[:5])}. Submit one file for the lesson: {BACKWARD_FILE}, or a notebook."
    place = f"{here}/{BACKWARD_FILE}".removeprefix("/")
    return LessonFiles(
        lesson.name, message=f"{place} is missing{found if near else ', and there is no Python file next to it.'}"
    )


def nothing_gradable(
    shown: str, read: Iterable[LessonFiles], defined: Collection[str], lessons: Iterable[Lesson]
) -> str:
    """The sentence about a notebook or Python file for which no lesson is found.

    `read` is what was found for each lesson; `defined` are those of its functions and classes that the sentence may
    name.
    """
    attempts = [each.message for each in read if each.message and not each.nothing]
    if attempts:
        return attempts[0]
    where = " in its code cells" if shown.endswith(NOTEBOOK) else ""
    nothing = f"{shown} holds nothing that can be graded: no gradient is assigned{where}, as in `dlogprobs = ...`"
    for lesson in lessons:
        names = sorted({*defined} & {*lesson.functions})
        if names:
            return (
                f"{nothing}. It defines `{names[0]}`, as {lesson.name} does, which alone does not say that it is for "
                f"that lesson. If it is, rename it to {lesson.name}{Path(shown).suffix}."
            )
    return f"{nothing}, and no function of a lesson is defined. Submit the exercise's notebook, or its {BACKWARD_FILE}."


def only_others(names: Sequence[str]) -> str:
    """A sentence about a submission without a Python file, notebook or archive: `names` are those of its files."""
    shown = ", ".join(f"`{name[:80]}`" for name in names[:3]) + (", ..." if len(names) > 3 else "")
    return f"Submitted {shown} and no Python file."


def may_be_code(name: str) -> bool:
    return PurePath(name).suffix.lower() not in NO_CODE
