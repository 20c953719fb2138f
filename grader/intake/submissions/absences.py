"""Sentences about lessons that were not found: what is there instead, and what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path, PurePath

from grader.intake.submissions.file_kinds import NOTEBOOK
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE

GENERIC_FOLDER_NAMES = {"", "lesson", "exercise", "ex", "part", "task", "homework", "hw", "assignment"}
"""Names that students give a lesson's folder, with its number."""
MAX_FOLDERS_COMPARED = 50
MAX_FILES_COMPARED = 64
KINDS_OF_FILES = {
    "a PDF": (".pdf",),
    "a text document": (".docx", ".doc", ".odt", ".rtf", ".pages"),
    "a picture": (".png", ".jpg", ".jpeg", ".heic", ".gif", ".webp"),
    "a web page": (".html", ".htm"),
    "a text file": (".txt", ".md"),
    "a link": (".url", ".webloc", ".gdoc", ".desktop"),
    "a compiled Python file": (".pyc",),
    "slides": (".pptx", ".ppt", ".key"),
    "a table": (".csv", ".xlsx"),
}
PERHAPS_WORK = {"a file of another kind", "a text file"}
"""Kinds of files that may be Python, or an archive, under another name."""


def not_submitted(lesson: Lesson, folders: Iterable[Path] = ()) -> LessonFiles:
    """A lesson without files. One of the `folders` next to which it should be counts as an attempt if it may be it."""
    meant = next((path.name for path in [*folders][:MAX_FOLDERS_COMPARED] if may_mean(path.name, lesson)), None)
    advice = f"; did you mean `{meant}`? Rename it." if meant else f": expected {lesson.name}/{BACKWARD_FILE}."
    message = f"No folder {lesson.name} was submitted{advice}"
    return LessonFiles(lesson.name, message=message, nothing=meant is None)


def may_mean(name: str, lesson: Lesson) -> bool:
    """Whether a folder's name is similar to a lesson's."""
    number, _, rest = lesson.name.lower().partition("_")
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    found = re.search(r"\d+", plain)
    words = re.sub(r"^\d+_?|_?\d+$", "", plain)
    alike = bool(words) and bool(difflib.get_close_matches(words, [rest, *rest.split("_")], n=1, cutoff=0.8))
    if found is None:
        return alike
    same_number = number.isdigit() and int(found[0]) == int(number)
    return same_number and (alike or words in GENERIC_FOLDER_NAMES or rest.startswith(words))


def without_main(inside: str, names: Sequence[str], notebooks: Sequence[Path]) -> str:
    """The sentence about a lesson's folder without a backward.py: what the folder contains instead."""
    similar = difflib.get_close_matches(BACKWARD_FILE, names[:MAX_FILES_COMPARED], n=1, cutoff=0.5)
    similar = similar or [name for name in names if "backward" in name.lower()]
    missing = f"{inside}{BACKWARD_FILE} is missing"
    if similar or len(names) == 1:
        return f"{missing}; there is {inside}{(similar or names)[0]}. Rename it to {BACKWARD_FILE} and submit again."
    if names:
        return f"{missing}; found {', '.join(names[:5])} instead."
    if notebooks:
        return f"{missing}; of {len(notebooks)} notebooks, submit the one that counts."
    return f"{missing}, and there is no Python file next to it."


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
    kinds = dict.fromkeys(kind_by_suffix(name) for name in names)
    shown = ", ".join(f"`{name[:80]}`" for name in names[:3]) + (", ..." if len(names) > 3 else "")
    return f"Submitted {' and '.join(list(kinds)[:3])} ({shown}) and no Python file."


def kind_by_suffix(name: str) -> str:
    suffix = PurePath(name).suffix.lower()
    return next((kind for kind, suffixes in KINDS_OF_FILES.items() if suffix in suffixes), "a file of another kind")
