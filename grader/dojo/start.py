"""A folder that a student works in: the public exercises, with nothing written yet. `dojo start` makes one.

What a course releases, the kit, has the same files and more: see grader/authoring/release/kit.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.errors import UserError, write_errors
from grader.gradebook.assignment.config import ASSIGNMENT_FILE
from grader.gradebook.database import GRADEBOOK
from grader.lesson.config import COURSE_SETTINGS_FILE
from grader.lesson.lesson import Course, Lesson, LessonError
from grader.lesson.paths import AGENTS, BACKWARD_FILE, KEPT_BY_RESET, TEMPLATES, files_under
from grader.lesson.stub import bare_stub
from grader.questions.answers_file import ANSWERS_FILE
from grader.results import RESULTS_FILE

FIGURES_SCRIPT = "figures.py"
"""Draws a lesson's figures; students get these, and not the script."""
FOR_TOOLS = {AGENTS: AGENTS, ".gitignore": "gitignore", ".vscode/tasks.json": "tasks.json"}
"""{file in the folder: its template}. VS Code's task is `dojo check`, with a problem matcher."""


def folder_files(lessons: Sequence[Lesson], stub: Callable[[Lesson], str]) -> dict[str, bytes]:
    """{path: content} of a folder to work in: lessons with their stubs, the course's settings, and FOR_TOOLS.

    Raises UserError and what `stub` raises.
    """
    found = {name: (TEMPLATES / template).read_bytes() for name, template in FOR_TOOLS.items()}
    for lesson in lessons:
        found |= lesson_files(lesson, stub(lesson)) | course_file(lesson.course, COURSE_SETTINGS_FILE)
    return found


def lesson_files(lesson: Lesson, stub: str) -> dict[str, bytes]:
    """exercises/NN_name with this stub: the file in the folder may contain somebody's work.

    Raises UserError for files that nobody may get: a link, which may lead to anything of this machine, and results of
    students.
    """
    folder, found = f"exercises/{lesson.name}", dict[str, bytes]()
    for path in files_under(lesson.exercise):
        if KEPT_BY_RESET in path.name or path.name in (FIGURES_SCRIPT, ANSWERS_FILE):
            continue
        if path.is_symlink():
            raise UserError(f"{path} is a link to {path.resolve()}: put a copy in its place, or remove it.")
        if path.name in (RESULTS_FILE, GRADEBOOK):
            raise UserError(
                f"{path} has results of students, as `grade run` writes them: move {path.parent} elsewhere."
            )
        found[f"{folder}/{path.relative_to(lesson.exercise).as_posix()}"] = path.read_bytes()
    return found | dict.fromkeys((f"{folder}/{BACKWARD_FILE}", f"{folder}/{lesson.pristine.name}"), stub.encode())


def course_file(course: Path, name: str) -> dict[str, bytes]:
    """{name: content} of a file next to exercises/, if there is one."""
    return {name: (course / name).read_bytes()} if (course / name).is_file() else {}


def make_working_folder(course: Course, folder: Path, bare: bool) -> None:
    """Write the lessons of `course` into `folder`, which is created. With `bare`, gradients have empty parentheses.

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

    def stub(lesson: Lesson) -> str:
        if not lesson.pristine.is_file():
            raise UserError(f"{lesson.pristine} is missing. Its author writes it with `grade stubs`.")
        text = lesson.pristine.read_text(encoding="utf-8")
        return bare_stub(lesson, text) if bare else text

    with write_errors(folder):
        files = folder_files([*course.lessons.values()], stub) | course_file(course.root, ASSIGNMENT_FILE)
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
