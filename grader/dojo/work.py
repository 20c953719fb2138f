"""What `dojo` checks: the files in exercises/, or one notebook or script anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.dojo.file import own_file, read_own, shown_path
from grader.errors import UserError
from grader.intake.notebook.cells import MAX_READ_NOTEBOOK_BYTES, NotebookError
from grader.intake.notebook.outline import outlines_limited
from grader.intake.submissions.absences import nothing_gradable
from grader.intake.submissions.file_kinds import NOTEBOOK, suffix_of
from grader.intake.submissions.fitting import fitting_lessons, hints, lesson_text
from grader.intake.submissions.lesson_files import LessonFiles, read_file
from grader.intake.submissions.lesson_reading import PageRead, read_page
from grader.lesson.lesson import Course, Lesson
from grader.lesson.notebook_lesson import notebook_table
from grader.lesson.paths import BACKWARD_FILE
from grader.source.reader import source_reader


class Exercises:
    """backward.py in each lesson's folder.

    Attributes:
        folder: the folder that `dojo watch` watches, with its subfolders where `deep`.
        remembered: the verdicts are stored.
    """

    deep = remembered = True

    def __init__(self, course: Course) -> None:
        self.folder = course.root / "exercises"

    def read(self, lesson: Lesson) -> LessonFiles:
        """The lesson's files as they are now. Raises UserError."""
        return read_own(lesson)

    def path(self, lesson: Lesson) -> Path:
        return own_file(lesson)

    def words(self, lesson: Lesson) -> str:
        """The words that follow `dojo watch` for the lesson."""
        return lesson.number

    def elsewhere(self, lesson: Lesson, row: str | None) -> str:
        """The file in which a missing row is written; "" where it is written in this one."""
        return ""


class OneFile:
    """A notebook, the lecture's or one with a stub's functions, or a Python file; read as `grade run` reads it.

    The attributes and the first four methods are those of `Exercises`.
    """

    deep = remembered = False

    def __init__(self, path: Path, course: Course) -> None:
        """Raises UserError where there is no such file."""
        if not path.is_file():
            raise UserError(f"{path} is not there." if not path.exists() else f"{path} is no file.")
        self._path, self._course, self.shown = path.resolve(), course, shown_path(path.absolute())
        self.folder = self._path.parent
        source_reader().start()  # its process loads at the same time as others

    def path(self, lesson: Lesson) -> Path:
        return self._path

    def words(self, lesson: Lesson) -> str:
        return f"{self.shown} {lesson.number}"

    def elsewhere(self, lesson: Lesson, row: str | None) -> str:
        table = notebook_table(lesson)
        return "" if table and row in table.names else shown_path(own_file(lesson))

    def read(self, lesson: Lesson) -> LessonFiles:
        submitted = self._page([lesson], functions=True).lessons[lesson.name]
        if not submitted.present and suffix_of(self._path) != NOTEBOOK and not submitted.rejected:
            submitted = LessonFiles(lesson.name, {BACKWARD_FILE: self._text_for(lesson)}, self.shown)
        if not submitted.present:
            raise UserError(f"Lesson {lesson.number}: {submitted.message}")
        return submitted

    def _text_for(self, lesson: Lesson) -> bytes:
        source = read_file(self._path)
        (outline,) = outlines_limited([(source, False)])
        fitting = fitting_lessons(outline, self._all)
        is_shared = len(fitting.lessons) > 1 and lesson.name in fitting.lessons
        return lesson_text(source, outline, fitting.fits[lesson.name]) if is_shared else source

    def lessons(self) -> list[Lesson]:
        """The lessons whose gradients it assigns, else those whose functions it defines. Raises UserError."""
        page = self._page(self._all, functions=False)
        present = [lesson for lesson in self._all if page.lessons[lesson.name].present]
        refused = next((files.message for files in page.lessons.values() if files.rejected), None)
        if refused and not present:
            raise UserError(refused)
        return present or self._by_functions(page)

    @property
    def _all(self) -> Sequence[Lesson]:
        return list(self._course.lessons.values())

    def _by_functions(self, page: PageRead) -> list[Lesson]:
        """The lessons that it is for, by its functions. Raises UserError where there is none, or several fit alike."""
        if not page.cells:
            raise UserError(
                f"{self.shown} holds no Python that can be read. To see where it stops, say which lesson it is for, as "
                f"in `dojo check {self.shown} 03`."
            )
        if page.too_much:
            raise UserError(f"{self.shown} cannot be read: {page.too_much}")
        is_notebook = suffix_of(self._path) == NOTEBOOK
        (outline,) = outlines_limited([(read_file(self._path, MAX_READ_NOTEBOOK_BYTES), is_notebook)])
        fitting = fitting_lessons(outline, self._all, hints([self._path.name], self._all))
        if not fitting.lessons:
            raise UserError(nothing_gradable(self.shown, page.lessons.values()))
        if fitting.unclear:
            numbers = sorted(self._course.lessons[name].number for name in fitting.unclear[0])
            raise UserError(
                f"{self.shown} defines functions that lessons {', '.join(numbers)} all ask for: say which one is "
                f"meant, as in `dojo check {self.shown} {numbers[0]}`."
            )
        return [self._course.lessons[name] for name in fitting.lessons]

    def _page(self, lessons: Sequence[Lesson], functions: bool) -> PageRead:
        try:
            return read_page(self._path, self.shown, lessons, functions)
        except NotebookError as error:
            raise UserError(f"{self.shown} cannot be read: {error}") from error


Work = Exercises | OneFile
"""What `dojo` checks."""


def is_file(word: str) -> bool:
    """Whether a word of a command line names a file, not a lesson or a row."""
    return suffix_of(Path(word)) in (NOTEBOOK, ".py")


def work_in(path: Path, course: Course, named: bool) -> tuple[Work, list[Lesson]]:
    """The work at `path`, with the lessons in it; a lesson's own backward.py is the exercise. Raises UserError.

    Where the command line has `named` the lessons, the file is not searched for them.
    """
    for lesson in course.lessons.values():
        if path.resolve() == own_file(lesson).resolve():
            return Exercises(course), [lesson]
    one = OneFile(path, course)
    return one, [] if named else one.lessons()
