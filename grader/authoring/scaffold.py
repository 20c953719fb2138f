"""`grade new-lesson`: a lesson's two folders, ready to fill in. `grade verify` accepts them, except for README.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from grader.authoring.lesson_sources import stub_of
from grader.lesson.lesson import Lesson, LessonError
from grader.publish.templates import text_templates

LessonKind = Literal["steps", "functions"]


def write_lesson(course: Path, name: str, title: str, kind: LessonKind) -> list[Path]:
    """Writes exercises/NN_name and solutions/NN_name under `course`; returns the files.

    `kind` is "steps" (a forward pass, a function for each gradient) or "functions" (functions and classes checked by
    what they do). Raises LessonError when the name does not fit or is taken, OSError when a file cannot be written.
    """
    if not re.fullmatch(r"\d\d_[a-z][a-z0-9_]*", name):
        raise LessonError(f"{name!r} is no lesson's name: expected two digits and words, such as 11_layer_norm.")
    number, _, short = name.partition("_")
    folders = {part: course / f"{part}s" / name for part in ("exercise", "solution")}
    taken = [str(folder) for folder in folders.values() if folder.exists()]
    others = [path.name for path in (course / "exercises").glob(f"{number}_*") if path.name != name]
    if taken or others:
        found = f"{' and '.join(taken)}: already there" if taken else f"{', '.join(others)} has the number {number}"
        raise LessonError(f"{found}. Choose another number and name.")
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
    stub = stub_of(lesson)
    for path in (lesson.exercise / "backward.py", lesson.pristine):
        path.write_text(stub, encoding="utf-8")
        written.append(path)
    return written
