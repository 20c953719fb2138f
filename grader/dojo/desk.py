"""A student's course without its secrets, with the stored progress, and the judge once it is needed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from grader.dojo.checked import Checked
from grader.dojo.file import is_untouched, location, outline_of_text, own_file, read_own, shown_path
from grader.dojo.naming import lesson_and_row
from grader.dojo.progress import Progress
from grader.dojo.state_file import StateFile, verdict_digest
from grader.dojo.zygote import Starter
from grader.errors import UserError
from grader.gradebook.assignment.config import ASSIGNMENT_FILE, Assignment, read_assignment
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.course_modules import set_named
from grader.lesson.lesson import Course, Lesson, LessonError
from grader.lesson.paths import BACKWARD_FILE, nearest_course
from grader.sandbox.workers.torch_loading import load_torch

if TYPE_CHECKING:  # torch comes with these: `dojo` and `dojo hint` need not wait for it
    from grader.dojo.check import LocalJudge
    from grader.gradebook.grading.one_file import JudgedFile


def student_course(given: Path | None) -> Path:
    """The course at `given`, else the nearest one around the current folder: of that, only installed code runs.

    Raises UserError.
    """
    found = nearest_course(given)
    if found is None and given is not None:
        raise UserError(f"{given} holds no lessons: name the folder that has exercises/ with --course.")
    if found is None:
        raise UserError(
            "there is no folder exercises/ here. Make a folder to work in with `dojo start`, or change to the "
            "folder that has exercises/, or name it with --course."
        )
    set_named(found, given is not None)
    return found


class Desk:
    """Finds lessons, knows their progress and checks files.

    `complain` gets sentences about problems that do not stop the work; the context `busy("checking ...")` is entered
    during a slow step.
    """

    def __init__(
        self,
        root: Path,
        complain: Callable[[str], None],
        busy: Callable[[str], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """Raises LessonError where there is no course."""
        self.course = Course(root, secrets=False)
        self.assignment = self._read_assignment(root / ASSIGNMENT_FILE, complain)
        if self.assignment is not None and self.assignment.settings:
            self.course = Course(root, secrets=False, changed=self.assignment.settings)
        self.state_file = StateFile(root, complain)
        self.busy = busy
        self._judge: LocalJudge | None = None

    def _read_assignment(self, path: Path, complain: Callable[[str], None]) -> Assignment | None:
        """The assignment that the instructor put into the kit. Without it, or where it cannot be used, None."""
        try:
            return read_assignment(path, list(self.course.lessons.values())) if path.is_file() else None
        except LessonError as error:
            complain(str(error))
            return None

    @property
    def judge(self) -> LocalJudge:
        """Started at the first use, which takes seconds."""
        if self._judge is None:
            with self.busy("loading torch"):
                starter = Starter(imports=self.course.imports)
                load_torch()  # while it loads in the zygote
                from grader.dojo.check import LocalJudge

                self._judge = LocalJudge(starter)
        return self._judge

    def close(self) -> None:
        if self._judge is not None:
            self._judge.close()

    def current(self) -> Lesson:
        """The lesson last worked on, else the first unfinished one."""
        last = self.state_file.read().last
        if last in self.course.lessons:
            return self.course.lessons[last]
        lessons = sorted(self.course.lessons.values(), key=lambda each: self._assigned_rows(each) == set())
        return next((lesson for lesson in lessons if self.progress(lesson).has_work), lessons[0])

    def find(self, words: str, before: Lesson | None = None) -> tuple[Lesson, str | None]:
        """A lesson, a row of it, or a row alone: of the lesson named `before` it, or of the one last worked on.

        Raises UserError.
        """
        last = self.course.lessons.get(self.state_file.read().last or "")
        return lesson_and_row(self.course, words, [before, last])

    def progress(self, lesson: Lesson) -> Progress:
        """What is known of a lesson without running the student's code: by the last check, or by the file's text."""
        kept, statuses = self.state_file.read().verdicts.get(lesson.name, ("", {}))
        unchecked = False
        try:
            submitted = read_own(lesson)
        except UserError:
            statuses = {}
        else:
            if is_untouched(lesson, submitted.files[BACKWARD_FILE]):
                statuses = dict.fromkeys((item.name for item in lesson.items), "todo")
            else:
                unchecked = kept != verdict_digest(lesson, submitted.files)
        return Progress(
            lesson, statuses, taught=self._taught(lesson), assigned=self._assigned_rows(lesson), unchecked=unchecked
        )

    def _assigned_rows(self, lesson: Lesson) -> set[str] | None:
        """The rows of the lesson that the assignment contains; None without an assignment."""
        return None if self.assignment is None else set(self.assignment.rows.get(lesson.name, {}))

    def _taught(self, lesson: Lesson) -> frozenset[str]:
        """Which of the lessons that teach a row of `lesson` are finished, by the last check of each."""
        numbers = {item.taught_in for item in lesson.items if item.taught_in}
        if not numbers:
            return frozenset()
        verdicts = self.state_file.read().verdicts
        others = [other for other in self.course.lessons.values() if other.number in numbers]
        done = [other.number for other in others if Progress(other, verdicts.get(other.name, ("", {}))[1]).finished]
        return frozenset(done)

    def check(
        self,
        lesson: Lesson,
        submitted: LessonFiles,
        interrupt: int | None = None,
        show: Callable[[Checked], None] | None = None,
    ) -> Checked:
        """Run the file; `show` as in LocalJudge. Raises Interrupted once the descriptor `interrupt` is readable."""
        judge = self.judge
        started = time.monotonic()

        def checked(judged: JudgedFile) -> Checked:
            taught, assigned = self._taught(lesson), self._assigned_rows(lesson)
            return Checked(lesson, submitted, judged, time.monotonic() - started, taught, assigned, judge.own)

        show_checked = None if show is None else lambda judged: show(checked(judged))
        with self.busy(f"checking lesson {lesson.number}"):
            judged = judge.judge(lesson, submitted, interrupt, show_checked)
        return checked(judged)

    def all_progress(self, checked: Checked | None = None) -> list[Progress]:
        """`progress` of every lesson; `checked` is the latest check of one, stored or not."""
        return [
            checked.progress if checked is not None and checked.lesson is lesson else self.progress(lesson)
            for lesson in self.course.lessons.values()
        ]

    def place_of(self, lesson: Lesson, row: str) -> str:
        """The location of a row's function in the student's file."""
        try:
            line = outline_of_text(read_own(lesson).files[BACKWARD_FILE]).line(lesson.item_for(row))
        except UserError:
            line = None
        return location(shown_path(own_file(lesson)), line)
