"""`dojo start`: a folder to work in, with the public exercises and nothing written yet."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from grader.errors import UserError
from grader.gradebook.assignment.config import ASSIGNMENT_FILE
from grader.lesson.config import COURSE_SETTINGS_FILE
from grader.lesson.lesson import Course, LessonError
from grader.lesson.paths import AGENTS, BACKWARD_FILE, TEMPLATES
from grader.lesson.stub import bare_stub
from grader.questions.answers_file import ANSWERS_FILE

EDITOR_TASKS = ".vscode/tasks.json"
"""VS Code's task `dojo check` with a problem matcher."""
GITIGNORE = "__pycache__/\n.ipynb_checkpoints/\n/.dojo.json\n/my-training/\n/my-report.html\n*.before-reset-*\n"
NOT_COPIED = shutil.ignore_patterns(  # figures.py draws a lesson's pictures in a clone
    *("__pycache__", BACKWARD_FILE, ANSWERS_FILE, "figures.py", "*.before-reset-*", "*~", ".ipynb_checkpoints")
)


def make_working_folder(course: Course, folder: Path, bare: bool) -> None:
    """Copy the lessons of `course` into `folder`, which is created. With `bare`, gradients have empty parentheses.

    Raises UserError where `folder` is a lesson's name or holds something already, or a lesson has no stub.
    """
    with contextlib.suppress(LessonError):
        lesson = course.find(str(folder))
        raise UserError(
            f"{folder} is a lesson: dojo watch {lesson.number}. A folder to work in has a name of its own, as in `dojo "
            "start my-work`."
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} exists and is not empty. Choose another name, as in `dojo start my-work`.")
    for lesson in course.lessons.values():
        if not lesson.pristine.is_file():
            raise UserError(f"{lesson.pristine} is missing. Its author writes it with `grade stubs`.")
    try:
        for lesson in course.lessons.values():
            stub = lesson.pristine.read_text(encoding="utf-8")
            place = folder / "exercises" / lesson.name
            shutil.copytree(lesson.exercise, place, ignore=NOT_COPIED)
            for name in (BACKWARD_FILE, lesson.pristine.name):
                text = bare_stub(lesson, stub) if bare else stub
                (place / name).write_text(text, encoding="utf-8", newline="\n")
        for name in (COURSE_SETTINGS_FILE, ASSIGNMENT_FILE):
            if (course.root / name).is_file():
                shutil.copy(course.root / name, folder / name)
        shutil.copy(TEMPLATES / AGENTS, folder / AGENTS)
        (folder / ".gitignore").write_text(GITIGNORE, encoding="utf-8", newline="\n")
        (folder / EDITOR_TASKS).parent.mkdir()
        shutil.copyfile(TEMPLATES / "tasks.json", folder / EDITOR_TASKS)
    except OSError as error:
        raise UserError(f"{error.filename or folder} cannot be read or written: {error.strerror}.") from error
