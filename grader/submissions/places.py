"""Where in a folder a lesson is: its folder by name, in a folder in a folder, or a guess where it is misnamed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path, PurePath

from grader.lesson import Lesson
from grader.submissions.archive import MOST_DEPTH, is_archive
from grader.submissions.handed import MAIN

NOTEBOOK = ".ipynb"
GENERIC = {"", "lesson", "exercise", "ex", "part", "task", "homework", "hw", "assignment"}
"""What a lesson's folder is called by mistake, with the number."""
CLUTTER = {"__pycache__", "__MACOSX", "node_modules", "venv"}


def visible(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if not p.name.startswith(".") and p.name not in CLUTTER)


def folders(folder: Path) -> list[Path]:
    return [path for path in visible(folder) if is_folder(path)] if folder.is_dir() else []


def kind(path: PurePath) -> str:
    """What its name says it is: ".py", also of a BACKWARD.PY from a system that does not mind."""
    return path.suffix.lower()


def is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def gradable(folder: Path) -> list[Path]:
    """The Python files, notebooks and archives right inside."""
    named = [path for path in visible(folder) if kind(path) in (".py", NOTEBOOK) or is_archive(path)]
    return [path for path in named if not is_folder(path)]


def entries_of(folder: Path) -> list[Path]:
    """What may be submissions right inside a class's folder: folders and links to folders, and what is gradable."""
    return [path for path in visible(folder) if kind(path) in (".py", NOTEBOOK) or is_archive(path) or path.is_dir()]


def lesson_folder(folder: Path, lesson: Lesson) -> Path | None:
    """The sub-folder that a lesson was handed in as: its full name, its number or its name, in any case."""
    number, _, rest = lesson.name.partition("_")
    for wanted in (lesson.name, rest, number):
        for path in visible(folder):
            if is_folder(path) and path.name.lower() == wanted.lower():
                return path
    return None


def names_lesson(stem: str, lesson: Lesson) -> bool:
    """Whether a file is called after the lesson: 03_makemore_steps, 03-makemore-steps, 03_makemore_steps_backward."""
    plain = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    return plain.removesuffix("_backward").removeprefix("backward_") == lesson.name.lower()


def absent(folder: Path, lesson: Lesson) -> str:
    """The sentence about a lesson's folder that is not there, with a guess which one it may be."""
    number, _, rest = lesson.name.lower().partition("_")
    names = {path.name: re.sub(r"[^a-z0-9]+", "_", path.name.lower()).strip("_") for path in folders(folder)}
    for name, plain in names.items():
        found = re.search(r"\d+", plain)
        words = re.sub(r"^\d+_?|_?\d+$", "", plain)
        same_number = found is not None and number.isdigit() and int(found[0]) == int(number)
        alike = bool(words) and bool(difflib.get_close_matches(words, [rest, *rest.split("_")], n=1, cutoff=0.8))
        if (same_number and (alike or words in GENERIC or rest.startswith(words))) or (alike and found is None):
            return f"No folder {lesson.name} was handed in; did you mean `{name}`? Rename it."
    return f"No folder {lesson.name} was handed in: expected {lesson.name}/{MAIN}."


def innermost(folder: Path, lessons: Sequence[Lesson]) -> Path:
    """The folder that holds the lessons, where it stands in another one: alone, or as the only one that holds any."""
    for _ in range(MOST_DEPTH):
        if holds_a_lesson(folder, lessons):
            break
        inside = folders(folder)
        holding = [path for path in inside if any(lesson_folder(path, lesson) for lesson in lessons)]
        if len(holding) == 1:
            return holding[0]
        if len(inside) != 1 or gradable(folder) or is_a_lesson(inside[0], lessons):
            break
        folder = inside[0]
    return folder


def is_a_lesson(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether it was meant as a lesson's: one that is not graded now, or a wrong name."""
    if re.match(r"\d+(_|$)|lesson[ _-]*\d", folder.name.lower()):
        return True
    return len(lessons) > 1 and any(kind(path) == ".py" for path in gradable(folder))


def holds_a_lesson(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether `folder` is itself a submission, not a folder of them."""
    return any(lesson_folder(folder, lesson) is not None for lesson in lessons) or (folder / MAIN).is_file()


def loose_file(folder: Path, lessons: Sequence[Lesson]) -> Path | None:
    """The one file of a folder that holds no lesson's folder and no other file to grade, if that is how it is."""
    inside = gradable(folder)
    alone = len(inside) == 1 and inside[0].name != MAIN and not any(lesson_folder(folder, each) for each in lessons)
    return inside[0] if alone and not (len(lessons) > 1 and folders(folder)) else None
