"""What is known of a class: its roster, times of submission, submissions, and what a person decided in intake.csv."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo

from grader.commands.out_folder import open_gradebook
from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import GRADEBOOK
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
from grader.intake.submissions.roster import Roster, read_roster
from grader.intake.submissions.submission_times import NoZone, ReadTimes, SubmissionTime, read_times, times_in_roster
from grader.lesson.lesson import Course, Lesson
from grader.results.typed_json import from_json, to_json
from grader.results.wording import count_text, first_names

ROSTER_ENTRY, TIMES_ENTRY = "roster", "times"
"""Names under which the gradebook keeps [file's name, roster] and {file's name: times}."""
MAX_SENTENCES, MAX_INPUTS_NAMED = 20, 5


class ClassFiles:
    """What is known of the class beside its submissions.

    Attributes:
        roster: the class's list, None if no run was given one.
        remarks: sentences about what the gradebook remembers.
    """

    def __init__(self, out: Path, roster_file: Path | None = None, times_files: Sequence[Path] = ()) -> None:
        """Reads `roster_file`, and from the gradebook in `out` what no file is given for. Raises UserError."""
        self.roster = None if roster_file is None else read_roster(roster_file)
        self.remarks, self._roster_name = list[str](), roster_file.name if roster_file is not None else ""
        self._times_files, self._times = times_files, dict[str, list[SubmissionTime]]()
        if not (out / GRADEBOOK).is_file():
            return
        with open_gradebook(out) as gradebook:
            roster, times = gradebook.kept(ROSTER_ENTRY), gradebook.kept(TIMES_ENTRY)
        if self.roster is None and roster:
            self._roster_name, stored = json.loads(roster)
            self.roster = from_json(Roster, stored)
            self.remarks.append(
                f"{self._roster_name} of an earlier run: {count_text(len(stored['members']), 'student')}."
            )
        for name, stored in json.loads(times or "{}").items():
            if name not in map(str, times_files):
                self._times[name] = from_json(list[SubmissionTime], stored)
                count = count_text(len(stored), "submission time")
                self.remarks.append(
                    f"{name} of an earlier run: {count}. For newer submissions, give --times with a newer file."
                )

    def set_times(self, found: FoundSubmissions, assignment: Assignment | None) -> tuple[list[str], list[str]]:
        """Give submissions their times, from the roster, earlier runs' files and `--times`. Raises UserError.

        Returns sentences about what is not clear, and about how many times were read.
        """
        unclear, counts = list[str](), list[str]()
        due = None if assignment is None else assignment.due
        # an offset is no zone: it changes with the season
        zone = due.tzinfo if due is not None and isinstance(due.tzinfo, ZoneInfo) else None
        if self.roster is not None:
            try:
                read = times_in_roster(self.roster, self._roster_name, zone)
                unclear += first_sentences([*read.bad, *found.set_times(read.times, replaces=False)])
                counts += times_sentence(self._roster_name, read)
            except NoZone as error:
                unclear += [str(error)] if due is not None else []
        given = set(map(str, self._times_files))
        for name, times in self._times.items():
            if name not in given:
                found.set_times(times)  # the run that was given the file has said what is not clear in it
        for file in self._times_files:
            read = read_times(file, zone)
            if read.bad:
                raise UserError(" ".join(first_sentences(read.bad)))
            unclear += first_sentences(found.set_times(read.times))
            counts += times_sentence(file.name, read)
            self._times[str(file)] = list(read.times)
        return unclear, counts

    def entries(self) -> dict[str, str]:
        """What the gradebook keeps for later runs."""
        found = {TIMES_ENTRY: json.dumps({name: to_json(times) for name, times in self._times.items()})}
        if self.roster is not None:
            found[ROSTER_ENTRY] = json.dumps([self._roster_name, to_json(self.roster)])
        return found


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


def first_sentences(sentences: Sequence[str]) -> list[str]:
    """The first of many sentences that are alike, and how many follow."""
    rest = count_text(len(sentences) - MAX_SENTENCES, "more line is", "more lines are")
    return [*sentences[:MAX_SENTENCES], *([f"{rest} like these."] if sentences[MAX_SENTENCES:] else [])]


def times_sentence(file: str, read: ReadTimes) -> list[str]:
    zone = f", in the time zone {read.zone}" if read.zone is not None else ""
    return [f"{file}: {count_text(len(read.times), 'submission time')}{zone}."] if read.times else []
