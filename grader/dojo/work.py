"""What `dojo` checks: the student's file of each lesson in exercises/, or one notebook or script anywhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from grader.dojo.desk import Desk, only_lesson
from grader.dojo.file import own_file, read_own, shown_path
from grader.dojo.progress import Checked
from grader.errors import UserError
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.file_kinds import NOTEBOOK, suffix_of
from grader.intake.submissions.submission import Submission, read_one_file
from grader.lesson.lesson import Lesson

if TYPE_CHECKING:  # torch comes with it
    from grader.gradebook.grading.one_file import JudgedFile


class Work:
    """backward.py in each lesson's folder; or one file, a notebook or a script, which is read as `grade run` reads it.

    Attributes:
        desk: the course, and what is known of the student's progress in it.
        named: (a lesson, its row or None for all), as somebody has named them.
        remembered: the verdicts are stored; not those of one file.
        folder: what `dojo watch` watches, with its subfolders where the work is `remembered`.
    """

    def __init__(
        self,
        desk: Desk,
        file: Path | None = None,
        named: Sequence[tuple[Lesson, str | None]] = (),
        shown: str = "",
    ) -> None:
        """Messages call the file `shown`, by default its path. Raises UserError where there is no such file."""
        self.desk, self._file, self.named, self.remembered = desk, file, named, file is None
        self.folder = desk.course.root / "exercises"
        if file is not None:
            if not file.is_file():
                raise UserError(f"{file} is not there." if not file.exists() else f"{file} is no file.")
            self._file, self._shown = file.resolve(), shown or shown_path(file.absolute())
            self.folder = self._file.parent

    @classmethod
    def chosen(cls, desk: Desk, words: Sequence[str], rows: bool = False) -> Work:
        """What the words of a command line mean, which may name `rows`. Raises UserError."""
        files, named = [Path(word) for word in words if is_file(word)], list[tuple[Lesson, str | None]]()
        if len(files) > 1:
            raise UserError(f"One file at a time: {' and '.join(map(str, files))} are {len(files)}.")
        for word in (word for word in words if not is_file(word)):
            if Path(word).is_file():
                raise UserError(f"{word} is not a Python file or a notebook: name a .py or .ipynb file, or a lesson.")
            before = named[-1][0] if named else None
            named.append(desk.find(word, before) if rows else (only_lesson(desk.course, word), None))
        own = {own_file(lesson).resolve(): lesson for lesson in desk.course.lessons.values()}
        file = next(iter(files), None)
        if file is not None and (lesson := own.get(file.resolve())) is not None:
            named, file = named or [(lesson, None)], None
        return cls(desk, file, named)

    @cached_property
    def lessons(self) -> list[Lesson]:
        """The lessons that are named; else those of which one file has anything, or the current one of the exercises.

        Raises UserError where the file has nothing.
        """
        if self.named:
            return list(dict.fromkeys(lesson for lesson, _ in self.named))
        if self._file is None:
            return [self.desk.current()]
        every = self.desk.course.lessons
        read = self._submission([*every.values()])
        present = {name for name, submitted in read.lessons.items() if submitted.present}
        if not present:
            raise UserError(read.message or f"{self._shown} holds nothing that can be checked.")
        return [lesson for name, lesson in every.items() if name in present]

    def shown(self, lesson: Lesson) -> str:
        return shown_path(own_file(lesson)) if self._file is None else self._shown

    def words(self, lesson: Lesson) -> str:
        """The words that follow `dojo watch` for the lesson."""
        return lesson.number if self._file is None else f"{self._shown} {lesson.number}"

    def read(self, lesson: Lesson) -> LessonFiles:
        """The lesson's files as they are now. Raises UserError."""
        if self._file is None:
            return read_own(lesson)
        read = self._submission([lesson])
        submitted = read.lessons.get(lesson.name)
        if submitted is None or not submitted.present:
            raise UserError(f"Lesson {lesson.number}: {read.message if submitted is None else submitted.message}")
        return submitted

    def _submission(self, lessons: Sequence[Lesson]) -> Submission:
        assert self._file is not None
        return read_one_file(self._file, self._shown, lessons, [*self.desk.course.lessons.values()])

    def check(
        self,
        lesson: Lesson,
        submitted: LessonFiles | None = None,
        interrupt: int | None = None,
        show: Callable[[Checked], None] | None = None,
        working: bool = True,
    ) -> Checked:
        """Check the lesson, and keep the verdicts on a student's own file; with `working` it is the current one.

        `submitted` are its files, where they were read already; `show` as in LocalJudge. Raises UserError, and
        Interrupted once the descriptor `interrupt` is readable.
        """
        files, judge = submitted or self.read(lesson), self.desk.judge
        started = time.monotonic()

        def checked(judged: JudgedFile, is_final: bool = True) -> Checked:
            return Checked(lesson, files, judged, time.monotonic() - started, is_final)

        first = None if show is None else (lambda judged: show(checked(judged, False)))
        with self.desk.busy(f"checking lesson {lesson.number}"):
            found = checked(judge.judge(lesson, files, interrupt, first))
        if self.remembered:
            self.desk.state_file.keep(found, working)
        return found


def is_file(word: str) -> bool:
    """Whether a word of a command line names a file, not a lesson or a row."""
    return suffix_of(Path(word)) in (NOTEBOOK, ".py")
