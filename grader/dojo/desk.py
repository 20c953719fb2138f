"""A student's course without its secrets: its lessons by the words of a command line, and their progress."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from grader.dojo.file import is_untouched, read_own
from grader.dojo.progress import Progress, StateFile, verdict_digest
from grader.dojo.zygote import EagerZygote
from grader.errors import UserError
from grader.gradebook.assignment.config import ASSIGNMENT_FILE, Assignment, read_assignment
from grader.lesson.course_modules import set_named
from grader.lesson.lesson import Course, Lesson, LessonError
from grader.lesson.paths import BACKWARD_FILE, nearest_course
from grader.sandbox.workers.torch_loading import load_torch

if TYPE_CHECKING:  # torch comes with it: `dojo` and `dojo hint` need not wait for it
    from grader.dojo.check import LocalJudge

MAX_CHARACTERS_OF_TYPED_WORDS = 200
"""Sentences quote what was typed."""


def student_course(given: Path | None) -> Path:
    """The course at `given`, else the nearest one around the current folder: of that, only installed code runs.

    Raises UserError.
    """
    found = nearest_course(given)
    if found is None:
        raise UserError(
            f"{given} holds no lessons: name the folder that has exercises/ with --course."
            if given is not None
            else "there is no folder exercises/ here. Make a folder to work in with `dojo start`, or change to the "
            "folder that has exercises/, or name it with --course."
        )
    set_named(found, given is not None)
    return found


class Desk:
    """Finds lessons, knows their progress and has the judge.

    `complain` gets sentences about problems that do not stop the work; the context `busy("checking ...")` is entered
    during a slow step. `assignment` is the one that the instructor put into the kit, None where there is none.
    """

    def __init__(
        self,
        root: Path,
        complain: Callable[[str], None],
        busy: Callable[[str], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """Raises LessonError where there is no course."""
        self.course = Course(root, secrets=False)
        self.assignment: Assignment | None = None
        self.state_file, self.busy = StateFile(root, complain), busy
        self._judge: LocalJudge | None = None
        if (path := root / ASSIGNMENT_FILE).is_file():
            try:
                self.assignment = read_assignment(path, list(self.course.lessons.values()))
                self.course = Course(root, secrets=False, changed=self.assignment.settings)
            except LessonError as error:
                complain(str(error))

    @property
    def judge(self) -> LocalJudge:
        """Started at the first use, which takes seconds."""
        if self._judge is None:
            with self.busy("loading torch"):
                zygote = EagerZygote(imports=self.course.imports)
                load_torch()  # while it loads in the zygote
                from grader.dojo.check import LocalJudge

                self._judge = LocalJudge(zygote)
        return self._judge

    def close(self) -> None:
        if self._judge is not None:
            self._judge.close()

    def last(self) -> Lesson | None:
        """The lesson last worked on."""
        return self.course.lessons.get(self.state_file.read().last or "")

    def current(self) -> Lesson:
        """The lesson last worked on, else the first unfinished one."""
        lessons = list(self.course.lessons.values())
        return self.last() or next((each for each in lessons if self.progress(each).has_work), lessons[0])

    def find(self, words: str, before: Lesson | None = None) -> tuple[Lesson, str | None]:
        """A lesson ("03"), a row of it ("03.dprobs"), or a row alone ("dprobs"). Raises UserError.

        A row alone is one of the lesson named `before` it, or of the one last worked on; else only one lesson may have
        it. A function with several rows means the lesson.
        """
        name = words.rstrip(".,;:")  # of a sentence that the words were copied from
        having = [each for each in self.course.lessons.values() if name in [item.name for item in each.items]]
        if having:
            first = next((each for each in (before, self.last()) if each in having), None)
            if first is None and len(having) > 1:
                numbers = [each.number for each in having]
                example = f"say which, as in {numbers[0]}.{name}."
                raise UserError(f"Lessons {', '.join(numbers)} all have a row {name}: {example}")
            return first or having[0], name
        lesson, row = lesson_and_rest(self.course, words)
        names = [item.name for item in lesson.items]
        if row and row not in (*names, *lesson.functions):
            near = nearest_word(row, names)
            did_you = f"; did you mean {near}?" if near else "."
            raise UserError(f"Lesson {lesson.number} has no row {row!r}{did_you} Its rows: {names[0]}, ...")
        return lesson, row if row in names else None

    def progress(self, lesson: Lesson) -> Progress:
        """What is known of a lesson without running the student's code: by the last check, or by the file's text."""
        digest, statuses = self.state_file.read().verdicts.get(lesson.name, ("", {}))
        try:
            submitted = read_own(lesson)
        except UserError:
            return Progress(lesson, {})
        if is_untouched(lesson, submitted.files[BACKWARD_FILE]):
            return Progress(lesson, dict.fromkeys((item.name for item in lesson.items), "todo"))
        return Progress(lesson, statuses, unchecked=digest != verdict_digest(lesson, submitted.files))

    def all_progress(self) -> list[Progress]:
        return [self.progress(lesson) for lesson in self.course.lessons.values()]


def lesson_and_rest(course: Course, words: str) -> tuple[Lesson, str]:
    """(lesson, what follows a dot) of `03`, `03.dprobs` or a path in a lesson's folder. Raises UserError.

    A lesson is named by its number, its name or a part of that. The end of a sentence that the words were copied from
    is left out.
    """
    words = words[:MAX_CHARACTERS_OF_TYPED_WORDS]
    if os.sep in words or words in (os.curdir, os.pardir):
        folders = reversed(Path(os.path.abspath(words)).parts)
        words = next((name for name in folders if name in course.lessons), Path(words).name or words)
    words = words.rstrip(".,;:") or words
    name, _, rest = words.partition(".")
    with suppress(LessonError):
        return course.find(name), rest
    having = [lesson for each, lesson in course.lessons.items() if len(name) > 2 and name.lower() in each]
    if len(having) != 1:
        rows = [item.name for lesson in course.lessons.values() for item in lesson.items]
        near = nearest_word(words, [*(each.partition("_")[2] for each in course.lessons), *rows])
        example = near or next(iter(course.lessons.values())).number
        how = f"`dojo` lists the lessons: type a number or a name, as in `dojo check {example}`."
        raise UserError(f"There is no lesson {words!r}{f'; did you mean {near}?' if near else '.'} {how}")
    return having[0], rest


def only_lesson(course: Course, words: str) -> Lesson:
    """A lesson without a row. Raises UserError."""
    lesson, rest = lesson_and_rest(course, words)
    if rest:
        raise UserError(f"{words!r} names a row, and a lesson is needed here: {lesson.number}.")
    return lesson


def nearest_word(word: str, known: Iterable[str]) -> str:
    """The one of the `known` words that is most like `word`; "" where none is."""
    return next(iter(difflib.get_close_matches(word, [*known], n=1)), "")
