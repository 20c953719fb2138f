"""Reads a lesson's files where they should be: in a folder of the lesson's name, or in a file that stands for one."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from grader.intake.notebook.cells import NotebookError
from grader.intake.submissions.archive import is_archive
from grader.intake.submissions.file_kinds import NOTEBOOK, suffix_of
from grader.intake.submissions.lesson_files import MAIN, LessonFiles, Unreadable, read_file
from grader.intake.submissions.notebook_files import read_lecture_script, read_page
from grader.intake.submissions.places import Inside, is_folder, message_of_absence, names_lesson, visible
from grader.lesson.lesson import Lesson

MAX_FILES = 64


def rejected_files(lesson: Lesson, message: object) -> LessonFiles:
    """A lesson whose files may not be graded."""
    return LessonFiles(lesson.name, message=str(message), rejected=True)


def not_submitted(folder: Inside | Path, lesson: Lesson) -> LessonFiles:
    """A lesson without files. A folder that may be meant as the lesson counts as an attempt."""
    message = message_of_absence(folder, lesson)
    return LessonFiles(lesson.name, message=message, nothing="did you mean" not in message)


def read_lesson(folder: Inside, lesson: Lesson, alone: bool) -> LessonFiles:
    """What a folder contains for `lesson`. With `alone`, a backward.py directly inside counts as well."""
    place = folder.lesson_folder(lesson)
    if place is None and alone and any(suffix_of(path) == ".py" for path in folder.entries):
        place = folder.folder
    if place is None:
        named = [path for path in folder.gradable if names_lesson(path.stem, lesson) and not is_archive(path)]
        return read_loose(named[0], lesson) if len(named) == 1 else not_submitted(folder, lesson)
    inside = "" if place is folder.folder else place.name + "/"
    entries = folder.entries if place is folder.folder else visible(place)
    sources = [path for path in entries if suffix_of(path) == ".py" and not is_folder(path)]
    names = [path.name for path in sources]
    main_names = [name for name in names if name.lower() == MAIN]
    main = MAIN if MAIN in names else main_names[0] if len(main_names) == 1 else None
    if main is None:
        notebooks = [path for path in entries if suffix_of(path) == NOTEBOOK]
        if len(notebooks) == 1:
            return read_notebook_file(notebooks[0], lesson, inside + notebooks[0].name)
        return LessonFiles(lesson.name, message=f"{inside}{MAIN} is missing{without_main(inside, names, notebooks)}")
    if len(sources) > MAX_FILES:
        where = inside or "The folder"
        return rejected_files(lesson, f"{where} holds {len(sources)} Python files; at most {MAX_FILES} are read.")
    files, left_out = {}, None
    for path in sources:
        try:
            files[MAIN if path.name == main else path.name] = read_file(path)
        except Unreadable as error:
            if path.name == main:
                return rejected_files(lesson, error)
            left_out = str(error)
    script = read_lecture_script(lesson, files[MAIN], inside + main)
    return script or LessonFiles(lesson.name, files, shown=inside + main, message=left_out)


def without_main(inside: str, names: Sequence[str], notebooks: Sequence[Path]) -> str:
    """The rest of the sentence about a lesson's folder without MAIN: what the folder contains instead."""
    similar = difflib.get_close_matches(MAIN, names[:MAX_FILES], n=1, cutoff=0.5)
    similar = similar or [name for name in names if "backward" in name.lower()]
    if similar or len(names) == 1:
        return f"; there is {inside}{(similar or names)[0]}. Rename it to {MAIN} and submit again."
    if names:
        return f"; found {', '.join(names[:5])} instead."
    if notebooks:
        return f"; of {len(notebooks)} notebooks, submit the one that counts."
    return ", and there is no Python file beside it."


def read_loose(path: Path, lesson: Lesson) -> LessonFiles:
    """A notebook or a Python file of any name, for this one lesson."""
    if suffix_of(path) == NOTEBOOK:
        return read_notebook_file(path, lesson, path.name)
    try:
        source = read_file(path)
    except Unreadable as error:
        return rejected_files(lesson, error)
    return read_lecture_script(lesson, source, path.name) or LessonFiles(lesson.name, {MAIN: source}, shown=path.name)


def read_notebook_file(path: Path, lesson: Lesson, shown: str) -> LessonFiles:
    """A notebook in a lesson's folder: in the lecture's manner, or with the stub's functions."""
    try:
        return read_page(path, shown, [lesson], functions=True).lessons[lesson.name]
    except Unreadable as error:
        return rejected_files(lesson, error)
    except NotebookError as error:
        return rejected_files(lesson, f"{shown} cannot be read: {error}")
