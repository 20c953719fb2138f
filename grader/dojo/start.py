"""`dojo start`: a folder to work in, with the public exercises and nothing written yet, or what was written before."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from grader.dojo.file import FIGURES, Outline, is_untouched, own_file, shown_path
from grader.errors import UserError
from grader.gradebook.assignment.config import ASSIGNMENT_FILE
from grader.intake.submissions.file_kinds import NOTEBOOK, open_regular
from grader.intake.submissions.lesson_files import MAX_FILE_BYTES
from grader.lesson.bare_stub import bare_stub
from grader.lesson.course_settings import COURSE_SETTINGS_FILE
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import AGENTS, BACKWARD_FILE, TEMPLATES
from grader.publish.inert import terminal_line
from grader.questions.answers_file import ANSWERS_FILE

EDITOR_TASKS = ".vscode/tasks.json"
"""VS Code's task `dojo check` with a problem matcher."""
GITIGNORE = (
    "__pycache__/\n.ipynb_checkpoints/\n/.dojo.json\n/.dojo-live\n/my-training/\n/my-report.html\n*.before-reset-*\n"
)
MAX_COPIED_FILES, MAX_COPIED_FILE_BYTES = 100, 32 << 20
"""What is copied from another folder: files of a lesson, and bytes of each."""
NOT_COPIED = shutil.ignore_patterns(
    "__pycache__", BACKWARD_FILE, ANSWERS_FILE, FIGURES, "*.before-reset-*", "*~", ".ipynb_checkpoints"
)


def make_working_folder(course: Course, folder: Path, bare: bool) -> None:
    """Copy the lessons of `course` into `folder`, which is created. With `bare`, gradients have empty parentheses.

    Raises UserError where `folder` holds something already, or a lesson has no stub.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} exists and is not empty. Choose another name, as in `dojo start my-work`.")
    stubs = {lesson.name: stub_for(lesson, bare) for lesson in course.lessons.values()}
    try:
        for lesson in course.lessons.values():
            place = folder / "exercises" / lesson.name
            shutil.copytree(lesson.exercise, place, ignore=NOT_COPIED)
            for name in (BACKWARD_FILE, lesson.pristine.name):
                (place / name).write_text(stubs[lesson.name], encoding="utf-8", newline="\n")
        for name in (COURSE_SETTINGS_FILE, ASSIGNMENT_FILE):
            if (course.root / name).is_file():
                shutil.copy(course.root / name, folder / name)
        shutil.copy(TEMPLATES / AGENTS, folder / AGENTS)
        (folder / ".gitignore").write_text(GITIGNORE, encoding="utf-8", newline="\n")
        (folder / EDITOR_TASKS).parent.mkdir()
        shutil.copyfile(TEMPLATES / "tasks.json", folder / EDITOR_TASKS)
    except OSError as error:
        raise UserError(f"{error.filename or folder} cannot be read or written: {error.strerror}.") from error


def take_over(old: Path, new: Course) -> list[str]:
    """Copy what a student wrote in the folder `old` into the stubs of `new`; returns sentences that say what was done.

    A file in which the student has written in `new` is left as it is. Of `old`, only these files are read, and nothing
    is run. Raises UserError.
    """
    sentences = []
    try:
        for lesson in new.lessons.values():
            before = old.resolve() / "exercises" / lesson.name
            if before.is_dir() and (copied := copy_work(before, lesson)):
                sentences.append(copied)
    except OSError as error:
        raise UserError(f"{error.filename} cannot be read or written: {error.strerror}.") from error
    return sentences


def copy_work(before: Path, lesson: Lesson) -> str:
    """Copy backward.py if something is written in it, and the files that a student puts next to it. Raises OSError."""
    copied, left = list[str](), ""
    target = own_file(lesson)
    own, trouble = read_work(before / BACKWARD_FILE, MAX_FILE_BYTES)
    if own is not None and own != read_work(before / lesson.pristine.name)[0]:
        if target.is_file() and not is_untouched(lesson, target.read_bytes()):
            left = f" {shown_path(target)} is left as it is: it is not the stub any more."
        else:
            target.write_bytes(own)
            copied.append(BACKWARD_FILE)
            outline = Outline(own)
            lacking = sorted({item.function for item in lesson.items if outline.line(item) is None})
            if outline.complete and lacking:
                left = f" It has no {', '.join(lacking)} yet: see {shown_path(lesson.pristine)}."
    names = [path.name for path in before.iterdir() if path.suffix in (".py", NOTEBOOK) or path.name == ANSWERS_FILE]
    others = sorted({*names} - {BACKWARD_FILE, FIGURES})
    left += trouble
    for name in others[:MAX_COPIED_FILES]:
        if not os.path.lexists(lesson.exercise / name):
            data, trouble = read_work(before / name)
            left += trouble
            if data is not None:
                (lesson.exercise / name).write_bytes(data)
                copied.append(name)
    if len(others) > MAX_COPIED_FILES:
        left += f" Of {len(others):,} files, {MAX_COPIED_FILES} were read: copy the others yourself."
    taken = f" {', '.join(map(terminal_line, copied))} copied." if copied else ""
    return f"Lesson {lesson.number}:{taken}{left}" if taken or left else ""


def read_work(path: Path, most: int = MAX_COPIED_FILE_BYTES) -> tuple[bytes | None, str]:
    """The bytes of an ordinary file; None where it cannot be read, then with a sentence unless it is not there."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            if (size := os.fstat(file.fileno()).st_size) <= most:
                return file.read(most), ""
        why = f"it has {size:,} bytes, more than {most:,}"
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        why = "it is a link" if error.errno == errno.ELOOP else f"{error.strerror}"
    return None, f" {terminal_line(path.name)} was not copied: {why}."


def stub_for(lesson: Lesson, bare: bool) -> str:
    try:
        stub = lesson.pristine.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"{lesson.pristine} cannot be read: {error.strerror}. Its author writes it with `grade stubs`."
        ) from error
    return bare_stub(lesson, stub) if bare else stub
