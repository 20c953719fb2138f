"""A lesson's own files: its right answers, its hidden suite, and the files of a new lesson.

A new lesson's two folders are ready to fill in; `grade verify` accepts them, except for README.md.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Literal

from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Lesson, LessonError
from grader.lesson.mistakes import Mistake
from grader.lesson.stub import steps_of, stub_of
from grader.publish.templates import text_templates
from grader.verdict.explain.known import known_file

LessonKind = Literal["steps", "functions"]


def is_formula(lesson: Lesson, mistake: Mistake) -> bool:
    """Whether the mistake is a wrong function for one gradient, so that only that gradient's row fails."""
    return not mistake.old and mistake.gradient in steps_of(lesson)


def suite_of(lesson: Lesson) -> ModuleType:
    """The hidden test suite as a module. Raises LessonError when it does not run."""
    return load_module(lesson.suite, f"backprop_ninja_suite_{lesson.name}")


def right_files(lesson: Lesson) -> dict[str, ModuleType]:
    """{"solution" or a variant's name: the file as a module}. Raises LessonError when one does not run."""
    files = {path.stem: load_module(path, f"backprop_ninja_{lesson.name}_{path.stem}") for path in lesson.variants}
    return {"solution": lesson.answers} | files


def write_lesson(course: Path, name: str, title: str, kind: LessonKind) -> list[Path]:
    """Writes exercises/NN_name and solutions/NN_name under `course`; returns the files.

    `kind` is "steps" (a forward pass, a function for each gradient) or "functions" (functions and classes checked by
    what they do). Raises LessonError when the name does not fit or is taken, OSError when a file cannot be written.
    """
    if not re.fullmatch(r"\d\d_[a-z][a-z0-9_]*", name):
        raise LessonError(f"{name!r} is no lesson's name: expected two digits and words, such as 11_layer_norm.")
    number, _, short = name.partition("_")
    folders = {part: course / f"{part}s" / name for part in ("exercise", "solution")}
    if taken := [path for folder in folders.values() for path in folder.parent.glob(f"{number}_*")]:
        raise LessonError(f"{taken[0]} has the number {number}. Choose another number and name.")
    source = text_templates(f"new_lesson/{kind}")
    written = []
    for template in sorted(source.list_templates()):
        part, _, file = template.removesuffix(".jinja").partition(".")
        file = {"suite.py": f"test_{short}.py", "variants.py": "variants/other_style.py"}.get(file, file)
        path = folders[part] / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source.get_template(template).render(number=number, title=title), encoding="utf-8")
        written.append(path)
    lesson = Lesson(course, name)
    stubs = dict.fromkeys((lesson.exercise / "backward.py", lesson.pristine), stub_of(lesson))
    for path, text in (stubs | known_file(lesson)).items():
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written
