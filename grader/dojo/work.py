"""What `dojo` checks: the files in exercises/, or one notebook or script anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.dojo.file import own_file, read_own, shown_path
from grader.errors import UserError
from grader.intake.submissions.file_kinds import NOTEBOOK, suffix_of
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission, read_one_file
from grader.lesson.lesson import Course, Lesson
from grader.lesson.notebook_lesson import notebook_table
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
        read = self._submission([lesson])
        submitted = read.lessons.get(lesson.name)
        if submitted is None or not submitted.present:
            raise UserError(f"Lesson {lesson.number}: {read.message if submitted is None else submitted.message}")
        return submitted

    def lessons(self) -> list[Lesson]:
        """The lessons of which it has anything. Raises UserError where there is none."""
        read = self._submission([*self._course.lessons.values()])
        present = [lesson for name, lesson in self._course.lessons.items() if name in read.lessons]
        present = [lesson for lesson in present if read.lessons[lesson.name].present]
        if not present:
            raise UserError(read.message or f"{self.shown} holds nothing that can be checked.")
        return present

    def _submission(self, lessons: Sequence[Lesson]) -> Submission:
        return read_one_file(self._path, self.shown, lessons, [*self._course.lessons.values()])


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
