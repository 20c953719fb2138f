"""The submissions of a run, with their times, and with what a person has decided about them in intake.csv."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.commands.class_files import ClassFiles
from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.files import output_errors, write_whole
from grader.intake.submissions.finding import FoundSubmissions, find
from grader.intake.submissions.intake_csv import (
    INTAKE_FILE,
    IntakeLine,
    confirmed_lines,
    decisions,
    intake_text,
    read_intake,
    updated_lines,
)
from grader.lesson.lesson import Course, Lesson
from grader.results.wording import count_text, first_names

MAX_INPUTS_NAMED = 5


@dataclass
class Intake:
    """Attributes:
    out: the folder with the gradebook and the intake.csv of earlier runs.
    lessons: those that submissions are searched for.
    file: an intake.csv that a person has edited; all of it is confirmed.
    found: the submissions, as found last.
    """

    out: Path
    course: Course
    lessons: Sequence[Lesson]
    known: ClassFiles
    assignment: Assignment | None
    file: Path | None
    found: FoundSubmissions = field(init=False)
    _lines: list[IntakeLine] = field(init=False)

    def __post_init__(self) -> None:
        self.found = FoundSubmissions(self.lessons, [*self.course.lessons.values()])
        self.read_files()

    def find(self, paths: Sequence[Path], within: Path | None = None) -> tuple[list[str], list[str]]:
        """Find what is under `paths` now, and its times; returns as ClassFiles.set_times. Raises UserError."""
        decided, questions = self.found.decided, self.found.questions  # what was found before may still be read
        self.found = find(paths, self.lessons, [*self.course.lessons.values()], self.known.roster, within)
        self.found.decided, self.found.questions = decided, questions
        return self.known.set_times(self.found, self.assignment)

    def remarks(self) -> list[str]:
        """Sentences about what was found."""
        return [f"{'roster: ' if self.known.roster else ''}{remark}" for remark in self.found.remarks]

    def read_files(self) -> None:
        """Have submissions read as OUT/intake.csv says where it is confirmed, and as the file says that is given."""
        new = [] if self.file is None else confirmed_lines(read_intake(self.file, self.course))
        keys, stored = {line.key for line in new}, self.out / INTAKE_FILE
        kept = read_intake(stored, self.course) if stored.is_file() else []
        self._lines = [line for line in kept if line.key not in keys] + new
        self.found.decided = decisions(self._lines)

    def check_file(self, given: Path) -> None:
        """Refuse a file about other students than this run's, or with files that a submission does not have."""
        names = {line.student for line in read_intake(given, self.course)}
        students = {arrival.student for arrival in self.found.arrivals}
        if names and names.isdisjoint(students):
            shown = first_names(sorted(names), MAX_INPUTS_NAMED)
            raise UserError(f"{given} is about nobody in this run ({shown}): write the names as in grades.csv.")
        for submission in map(self.found.read, sorted(names & students)):
            for remark in submission.remarks:
                if remark.kind == "no_file":
                    raise UserError(f"{given}, {submission.student}: {remark.message}")

    def store(self) -> list[str]:
        """Write OUT/intake.csv, if there is anything to decide; returns sentences about it. Raises OutputError."""
        path = self.out / INTAKE_FILE
        kept, edited = updated_lines(self._lines, self.found.questions, self.found.lesson_names)
        if not kept and not path.is_file():
            return []
        with output_errors(path):
            write_whole(path, intake_text(kept))
        guessed = {line.student for line in kept if not line.confirmed and line.guess}
        unread = {line.student for line in kept if not line.confirmed} - guessed
        sentences = []
        for students, what in ((guessed, "can be read in several ways"), (unread, "without a file that is a lesson's")):
            if students:
                count = count_text(len(students), "submission")
                sentences.append(f"{count} {what}: edit `guess` in {path}, then run again with --intake {path}.")
        if edited:
            names = first_names(edited, MAX_INPUTS_NAMED)
            sentences.append(f"{path} was edited for {names}, which counts only with --intake.")
        return sentences
