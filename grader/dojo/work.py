"""What is checked: the files in exercises/, or one notebook or script that stands anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from grader.dojo.file import own_file, read_own, shown_path
from grader.errors import UserError
from grader.intake.notebook.cells import NotebookError
from grader.intake.submissions.lesson_files import MAIN, LessonFiles, Unreadable, read_file
from grader.intake.submissions.notebook_files import PageRead, nothing_gradable, read_page
from grader.intake.submissions.places import NOTEBOOK, suffix_of
from grader.lesson.lesson import Course, Lesson
from grader.lesson.notebook_lesson import notebook_table
from grader.source.reader import source_reader


class Work(Protocol):
    """`folder` is what a watch looks at, with its subfolders where `deep`; `remembered`: its verdicts are kept."""

    folder: Path
    deep: bool
    remembered: bool

    def read(self, lesson: Lesson) -> LessonFiles:
        """What there is for the lesson now. Raises UserError."""

    def path(self, lesson: Lesson) -> Path: ...

    def words(self, lesson: Lesson) -> str:
        """What follows `dojo watch` for it."""

    def elsewhere(self, lesson: Lesson, row: str | None) -> str:
        """Where a row is to be written that it lacks; empty where it belongs into it."""


class Exercises:
    """backward.py in each lesson's folder."""

    deep = remembered = True

    def __init__(self, course: Course) -> None:
        self.folder = course.root / "exercises"

    def read(self, lesson: Lesson) -> LessonFiles:
        return read_own(lesson)

    def path(self, lesson: Lesson) -> Path:
        return own_file(lesson)

    def words(self, lesson: Lesson) -> str:
        return lesson.number

    def elsewhere(self, lesson: Lesson, row: str | None) -> str:
        return ""


class OneFile:
    """A notebook, the lecture's or one with a stub's functions, or a Python file; read as `grade run` reads it."""

    deep = remembered = False

    def __init__(self, path: Path, course: Course) -> None:
        """Raises UserError where there is no such file."""
        if not path.is_file():
            raise UserError(f"{path} is not there." if not path.exists() else f"{path} is no file.")
        self._path, self._course, self.shown = path.resolve(), course, shown_path(path.absolute())
        self.folder = self._path.parent
        source_reader().start()  # it loads while others do

    def path(self, lesson: Lesson) -> Path:
        return self._path

    def words(self, lesson: Lesson) -> str:
        return f"{self.shown} {lesson.number}"

    def elsewhere(self, lesson: Lesson, row: str | None) -> str:
        wanted = notebook_table(lesson)
        return "" if wanted and row in wanted.names else shown_path(own_file(lesson))

    def read(self, lesson: Lesson) -> LessonFiles:
        submitted = self._page([lesson], functions=True).lessons[lesson.name]
        if not submitted.present and suffix_of(self._path) != NOTEBOOK and not submitted.rejected:
            submitted = LessonFiles(lesson.name, {MAIN: self._bytes()}, self.shown)
        if not submitted.present:
            raise UserError(f"Lesson {lesson.number}: {submitted.message}")
        return submitted

    def lessons(self) -> list[Lesson]:
        """Those whose gradients it assigns, else the one whose functions it defines. Raises UserError."""
        page = self._page(self._all, functions=False)
        found = [(lesson, page.lessons[lesson.name]) for lesson in self._all]
        held = [lesson for lesson, submitted in found if submitted.present]
        refused = next((submitted.message for _, submitted in found if submitted.rejected), None)
        if refused and not held:
            raise UserError(refused)
        return held or [self._by_functions(page)]

    @property
    def _all(self) -> Sequence[Lesson]:
        return list(self._course.lessons.values())

    def _by_functions(self, page: PageRead) -> Lesson:
        """The lesson of whose functions it defines most; of several, the one of which it defines all.

        Raises UserError where there is none, or more than one.
        """
        if not page.cells:
            raise UserError(
                f"{self.shown} holds no Python that can be read. To see where it stops, say which lesson it is for, as "
                f"in `dojo check {self.shown} 03`."
            )
        if page.too_much:
            raise UserError(f"{self.shown} cannot be read: {page.too_much}")
        defined = page.defined
        counted = {lesson: len(defined & set(lesson.functions)) for lesson in self._all}
        most = max(counted.values())
        if most == 0:
            raise UserError(nothing_gradable(self.shown, []))
        held = [lesson for lesson, count in counted.items() if count == most]
        held = [lesson for lesson in held if defined.issuperset(lesson.functions)] or held
        if len(held) > 1:
            numbers = [lesson.number for lesson in held]
            raise UserError(
                f"{self.shown} defines functions that lessons {', '.join(numbers)} all ask for: say which one is "
                f"meant, as in `dojo check {self.shown} {numbers[0]}`."
            )
        return held[0]

    def _page(self, lessons: Sequence[Lesson], functions: bool) -> PageRead:
        try:
            return read_page(self._path, self.shown, lessons, functions)
        except Unreadable as error:
            raise UserError(str(error)) from error
        except NotebookError as error:
            raise UserError(f"{self.shown} cannot be read: {error}") from error

    def _bytes(self) -> bytes:
        try:
            return read_file(self._path)
        except Unreadable as error:
            raise UserError(str(error)) from error


def is_file(word: str) -> bool:
    """Whether a word of a command line means a file, not a lesson or a row."""
    return word.endswith((NOTEBOOK, ".py"))


def work_in(path: Path, course: Course, named: bool) -> tuple[Work, list[Lesson]]:
    """What a file's name means, with the lessons in it: also a lesson's own backward.py. Raises UserError.

    Where the lessons are `named`, it is not looked for them.
    """
    for lesson in course.lessons.values():
        if path.resolve() == own_file(lesson).resolve():
            return Exercises(course), [lesson]
    one = OneFile(path, course)
    return one, [] if named else one.lessons()
