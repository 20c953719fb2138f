"""What a run is given of a class: submissions, their times, its roster, and what a person decided in files.

With `--follow` it is found again and again, and somebody may be editing the files.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

from grader.commands.checks import find_course, open_assignment, require_solutions
from grader.commands.command_line import FOLDER, argument, option
from grader.commands.console import print_remarks
from grader.commands.decisions import author_name
from grader.commands.live import what_is_plain
from grader.commands.options import GRADES, AssignmentPath, RosterFile
from grader.errors import UserError
from grader.gradebook.database import Gradebook
from grader.gradebook.extension_file import read_extensions
from grader.gradebook.files import output_errors, write_whole
from grader.gradebook.grading.views import roster_in
from grader.gradebook.lookup import ClassNames
from grader.gradebook.records import Decision
from grader.intake.submissions.arrival import SubmissionError
from grader.intake.submissions.finding import FoundSubmissions, find
from grader.intake.submissions.inbox import Inbox
from grader.intake.submissions.intake_csv import (
    INTAKE_FILE,
    decisions,
    intake_text,
    read_intake,
    updated_lines,
)
from grader.intake.submissions.roster import read_roster
from grader.intake.submissions.submission_times import NoZone, ReadTimes, read_times, times_in_roster
from grader.lesson.paths import installed_course
from grader.publish.export.formats import write_formats
from grader.results.wording import count_text, first_names

MAX_SENTENCES, MAX_INPUTS_NAMED = 20, 5


@dataclass
class RunInput:
    """What a command line says of a class."""

    submissions: Annotated[tuple[Path, ...], argument("SUBMISSIONS...", required=True)]
    out: Annotated[Path, option("-o --out OUT", "Folder for the results; default: grades.", FOLDER, default=GRADES)]
    lesson_names: Annotated[tuple[str, ...], option("--lesson L", "Count only this lesson; may be repeated.")]
    assignment_file: AssignmentPath
    extensions_file: Annotated[Path | None, option("--extensions CSV", "Other due dates, and who is excused.")]
    roster_file: RosterFile
    times_files: Annotated[tuple[Path, ...], option("--times FILE", "When students submitted (docs/assignments.md).")]
    intake_file: Annotated[Path | None, option("--intake CSV", "OUT/intake.csv, after you have edited it.")]


class Intake:
    """The submissions of a class, their times, its roster, and what a person decided in files.

    It prints what is not clear, each sentence once; with `quiet` nothing else.

    Attributes:
        course, lessons, assignment: what is graded, as `open_assignment` says.
        roster: the class's list, None if no run was given one.
        found: the submissions, as found last.
    """

    def __init__(self, given: RunInput, known: Gradebook, course: Path | None, quiet: bool = False) -> None:
        """`known` is OUT's gradebook as earlier runs have left it. Raises UserError for a file that cannot be read."""
        refuse_course_in_submissions(find_course(course), given.submissions)  # before code of it runs
        self._given, self._known_students, self._known_people = given, known.students(), known.people()
        self._paths, self._quiet, self._printed = list(given.submissions), quiet, set[str]()
        self._inbox: Inbox | None = None
        self.course, self.lessons, self.assignment = open_assignment(
            course, given.lesson_names, given.assignment_file, known.assignment()
        )
        require_solutions(self.lessons)
        self.roster = roster_in(known) if given.roster_file is None else read_roster(given.roster_file)
        if self.roster is not None and given.roster_file is None:
            count = count_text(len(self.roster.members), "student")
            self._say(f"{self.roster.file} of an earlier run: {count}.")
        self.found = FoundSubmissions(self.lessons, [*self.course.lessons.values()])
        self.read_files()
        self.found.decided = decisions(self._lines)

    def find(self) -> None:
        """Find the submissions that are there now, and their times in the roster and in `--times`. Raises UserError."""
        decided, questions = self.found.decided, self.found.questions  # what was found before may still be read
        self.found = find(self._paths, self.lessons, [*self.course.lessons.values()], self.roster)
        self.found.decided, self.found.questions = decided, questions
        refuse_planted_results(self._given.out, [arrival.path for arrival in self.found.arrivals])
        unclear = list[str]()
        due = None if self.assignment is None else self.assignment.due
        # an offset is no zone: it changes with the season
        zone = due.tzinfo if due is not None and isinstance(due.tzinfo, ZoneInfo) else None
        if self.roster is not None:
            try:
                read = times_in_roster(self.roster, zone)
                unclear += first_sentences([*read.bad, *self.found.set_times(read.times, replaces=False)])
                self._say(*times_sentence(self.roster.file, read))
            except NoZone as error:
                unclear += [str(error)] if due is not None else []
        for file in self._given.times_files:
            read = read_times(file, zone)
            if read.bad:
                raise UserError(" ".join(first_sentences(read.bad)))
            unclear += first_sentences(self.found.set_times(read.times))
            self._say(*times_sentence(file.name, read))
        if self._inbox is None:  # later, it is no news who has submitted nothing yet
            self._warn(*unclear)
        self._warn(*(f"{'roster: ' if self.roster else ''}{remark}" for remark in self.found.remarks))

    def follow(self, formats: Sequence[str]) -> Inbox:
        """The submissions that appear in the folder that is given. Their files in `formats` are written as well."""
        (folder,) = self._given.submissions
        self._paths = [folder.resolve()]

        def find() -> FoundSubmissions:
            try:
                self.find()
            except SubmissionError as error:
                self._warn(*([str(error)] if self._inbox is not None and self._inbox.complete else []))
            except UserError as error:  # a person is editing the file with the times
                self._warn(str(error))
            return self.found  # what cannot be read stays as it was

        def published(students: Collection[str]) -> None:
            self._warn(*what_is_plain(write_formats(self._given.out, students, formats)))
            try:
                self.read_files()  # what is confirmed now counts from the next start on
                self._warn(*self.store())
            except UserError as error:  # a person is editing intake.csv
                self._warn(str(error))

        inbox = self._inbox = Inbox(folder, find, published, self._warn)
        self._say(f"following {folder}. Ctrl-C ends it.")
        return inbox

    def _warn(self, *sentences: str) -> None:
        """Print each sentence, unless it was printed before."""
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._printed]
        self._printed.update(new)
        print_remarks(new)

    def _say(self, *sentences: str) -> None:
        """The same for news of what went well; with `quiet`, nothing."""
        self._warn(*(() if self._quiet else sentences))

    def read_files(self) -> None:
        """Read the lines of OUT/intake.csv, and those of the file that is given, which count before them."""
        file, stored = self._given.intake_file, self._given.out / INTAKE_FILE
        given = [] if file is None else read_intake(file, self.course)
        new = [replace(line, confirmed=True) for line in given if line.guess]
        self._lines = [*(read_intake(stored, self.course) if stored.is_file() else []), *new]
        self._confirmed = {line.student for line in new}

    def check_file(self) -> None:
        """Refuse an intake.csv about other students than this run's, or with files that a submission does not have."""
        given, names = self._given.intake_file, self._confirmed
        students = {arrival.student for arrival in self.found.arrivals}
        if names and names.isdisjoint(students):
            shown = first_names(sorted(names), MAX_INPUTS_NAMED)
            raise UserError(f"{given} is about nobody in this run ({shown}): write the names as in grades.csv.")
        for submission in map(self.found.read, sorted(names & students)):
            for remark in submission.remarks:
                if remark.kind == "no_file":
                    raise UserError(f"{given}, {submission.student}: {remark.message}")

    def extensions(self) -> list[Decision]:
        """The decisions in a file of extensions, about students of this run, of the gradebook and of the roster.

        A line about anybody else has no effect, and standard error says so. Raises UserError.
        """
        if (file := self._given.extensions_file) is None:
            return []
        if self.assignment is None:
            raise UserError("--extensions needs an assignment, whose due date they extend: add --assignment FILE.")
        students = [*self._known_students, *(arrival.student for arrival in self.found.arrivals)]
        names = ClassNames(students, self._known_people, self.roster)
        found, ignored = read_extensions(file, self.assignment, names, author_name())
        self._warn(*first_sentences(ignored))
        return found

    def store(self) -> list[str]:
        """Write OUT/intake.csv, if there is anything to decide; returns sentences about it. Raises OutputError."""
        path, lessons = self._given.out / INTAKE_FILE, [lesson.name for lesson in self.lessons]
        kept, edited = updated_lines(self._lines, self.found.questions, lessons)
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


def refuse_course_in_submissions(course: Path, submissions: Sequence[Path]) -> None:
    """Refuse where one of the `submissions` could hold the course's code, which runs next to the secrets.

    The course that this package is a part of may be graded: who can change its lessons can change the grader.
    """
    root = course.resolve()
    if root == installed_course():
        return
    for each in submissions:
        place, parts = each.resolve(), [(root / name).resolve() for name in ("exercises", "solutions")]
        if any(part.is_relative_to(place) for part in (root, *parts)) or any(map(place.is_relative_to, parts)):
            raise UserError(
                f"{each} is to be graded, and the course {course} is in it or around it: a course's code runs with "
                "your rights. Keep the course in a folder of its own, and name that with --course."
            )


def refuse_planted_results(out: Path, submissions: Iterable[Path]) -> None:
    """Refuse an OUT that exists and is in a submission: the student could have written the gradebook in it."""
    places = {out.parent.resolve() / out.name, out.resolve()} if os.path.lexists(out) else set()
    for submission in submissions:
        if any(place.is_relative_to(submission) for place in places):
            raise UserError(
                f"{out} is in the submission {submission.name}, whose author may have written the results that it "
                "holds. Give a folder elsewhere after -o."
            )


def first_sentences(sentences: Sequence[str]) -> list[str]:
    """The first of many sentences that are alike, and how many follow."""
    rest = count_text(len(sentences) - MAX_SENTENCES, "more line is", "more lines are")
    return [*sentences[:MAX_SENTENCES], *([f"{rest} like these."] if sentences[MAX_SENTENCES:] else [])]


def times_sentence(file: str, read: ReadTimes) -> list[str]:
    zone = f", in the time zone {read.zone}" if read.zone is not None else ""
    return [f"{file}: {count_text(len(read.times), 'submission time')}{zone}."] if read.times else []
