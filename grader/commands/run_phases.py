"""The phases of `grade run` on one context: what its command line says, and what the phases find out."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path

import click

from grader.commands.assignments import extensions_from, with_assignment
from grader.commands.checks import (
    GRADER_PROGRAM,
    checked_isolation,
    open_course,
    refuse_planted_results,
    require_solutions,
)
from grader.commands.class_files import ClassFiles
from grader.commands.console import print_remarks
from grader.commands.live import what_failed, what_is_plain, what_platforms_say, what_waits
from grader.commands.opened_gradebook import write_other_gradebooks
from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.files import output_errors, write_whole
from grader.gradebook.grading.outcome import RunOutcome
from grader.gradebook.grading.settings import Settings
from grader.gradebook.records import Decision
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
from grader.publish.export.classroom50 import report_to_classroom50
from grader.publish.export.formats import write_formats
from grader.publish.export.github import report_to_github
from grader.publish.report.classroom import without_times
from grader.results.wording import count_text
from grader.sandbox.isolation.limits import Limits

MAX_INPUTS_NAMED = 5


@dataclass(kw_only=True)
class GradeRun:
    """`grade run`: its command line, where the help of each option says what it means, and what its phases find out.

    Attributes:
        lessons: those that are graded; `left_out` are the names of those that no submission contains.
        are_chosen: whether somebody has said which lessons count.
        lines: those of intake.csv that count.
    """

    submissions: tuple[Path, ...]
    out: Path
    lesson_names: tuple[str, ...] = ()
    assignment_file: Path | None = None
    extensions_file: Path | None = None
    roster_file: Path | None = None
    times_files: tuple[Path, ...] = ()
    intake_file: Path | None = None
    code_page: str | None = None
    jobs: int | None = None
    cluster: str | None = None
    seed: int | None = None
    timeout: float = 10.0
    require: str = "fair"
    fail_under: float | None = None
    formats: tuple[str, ...] = ()
    fresh: bool = False
    only_these: bool = False
    follow: bool = False
    quiet: bool = False
    course: Path | None = None
    loaded: Course = field(init=False)
    assignment: Assignment | None = None
    lessons: list[Lesson] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    are_chosen: bool = False
    known: ClassFiles = field(init=False)
    found: FoundSubmissions = field(init=False)
    lines: list[IntakeLine] = field(default_factory=list)
    extensions: list[Decision] = field(default_factory=list)

    @property
    def course_lessons(self) -> list[Lesson]:
        return list(self.loaded.lessons.values())

    def choose_lessons(self) -> None:
        """Read the course, the assignment, the roster and the times, and decide which lessons count."""
        course, named = open_course(self.course, self.lesson_names, self.submissions)
        named = named if self.lesson_names else []
        self.assignment, self.loaded, lessons = with_assignment(self.assignment_file, self.out, course, named)
        self.lessons = lessons or self.course_lessons
        self.are_chosen = bool(named) or self.assignment is not None
        require_solutions(self.lessons)
        self.known = ClassFiles(self.out, self.roster_file, self.times_files)
        print_remarks(() if self.quiet else self.known.remarks)

    def find_submissions(self) -> None:
        """Find the submissions with their times, and read intake.csv."""
        self.found = find(
            self.submissions, self.lessons, self.course_lessons, self.known.roster, code_page=self.code_page
        )
        unclear, counts = self.known.set_times(self.found, self.assignment)
        print_remarks(unclear if self.quiet else [*unclear, *counts])
        self.read_intake_files()
        if self.intake_file is not None:
            self._check_intake(self.intake_file)
        print_remarks(f"{'roster: ' if self.known.roster else ''}{remark}" for remark in self.found.remarks)
        refuse_planted_results(self.out, [arrival.path for arrival in self.found.arrivals])

    def read_intake_files(self) -> None:
        """Have submissions read as OUT/intake.csv says where it is confirmed, and as the file says that is given."""
        new = [] if self.intake_file is None else confirmed_lines(read_intake(self.intake_file, self.loaded))
        keys = {line.key for line in new}
        self.lines = [line for line in stored_lines(self.out, self.loaded) if line.key not in keys] + new
        self.found.decided = decisions(self.lines)

    def _check_intake(self, given: Path) -> None:
        """Refuse a file about other students than this run's, or with files that a submission does not have."""
        names = {line.student for line in read_intake(given, self.loaded)}
        students = {arrival.student for arrival in self.found.arrivals}
        if names and names.isdisjoint(students):
            raise UserError(
                f"{given} names {', '.join(sorted(names)[:MAX_INPUTS_NAMED])}, and no submission of this run has "
                "that name: write the names as in grades.csv."
            )
        for submission in map(self.found.read, sorted(names & students)):
            for remark in submission.remarks:
                if remark.kind == "no_file":
                    raise UserError(f"{given}, {submission.student}: {remark.message}")

    def store_intake(self) -> list[str]:
        """Write OUT/intake.csv, if there is anything to decide; returns sentences about it. Raises OutputError."""
        path = self.out / INTAKE_FILE
        kept, edited = updated_lines(self.lines, self.found.questions, self.found.lesson_names)
        if not kept and not path.is_file():
            return []
        with output_errors(path):
            write_whole(path, intake_text(kept))
        open_ = [line for line in kept if not line.confirmed]
        guessed = {line.student for line in open_ if line.guess}
        unread = {line.student for line in open_} - guessed
        has = "have" if len(unread) > 1 else "has"
        sentences = [
            f"{count_text(len(students), 'submission')} {what} {path}, then run again with --intake {path}."
            for students, what in (
                (guessed, "can be read in several ways: edit `guess` in"),
                (unread, f"{has} no file that is a lesson's: if one should count, write it to"),
            )
            if students
        ]
        if edited:
            names = ", ".join(edited[:MAX_INPUTS_NAMED])
            sentences.append(f"{path} was edited for {names}, which counts only with --intake.")
        return sentences

    def count_lessons(self) -> None:
        """Leave out lessons that neither `--lesson` names nor a submission contains."""
        if self.extensions_file is not None:
            self.extensions = extensions_from(
                self.extensions_file, self.assignment, self.out, self.found, self.known.roster
            )
        counted = self.lessons if self.are_chosen else self.found.contained(self.lessons)
        self.left_out = [lesson.name for lesson in self.lessons if lesson not in counted]
        self.lessons = counted

    def settings(self) -> Settings:
        """What the grader processes need to know. Refuses limits or a machine that will not do."""
        try:
            limits = Limits(self.timeout, self.timeout, 6 * self.timeout)
        except ValueError as error:
            raise UserError(f"--timeout: {error}.") from error
        if self.cluster is not None and find_spec("distributed") is None:
            raise UserError("--cluster needs Dask, which is not installed: pip install 'backprop-ninja[cluster]'.")
        return Settings(
            course=str(self.loaded.root.resolve()),
            lessons=[lesson.name for lesson in self.lessons],
            seed=secrets.randbits(32) if self.seed is None else self.seed,
            out=str(self.out),
            program=GRADER_PROGRAM,
            seed_given=self.seed is not None,
            limits=asdict(limits),
            require=self.require,
            left_out=self.left_out,
            isolation=None if self.cluster is not None else asdict(checked_isolation(self.require)),
            course_settings=self.loaded.changed,
        )

    def publish(self, outcome: RunOutcome) -> list[str]:
        """Write what depends on the results beside their pages; returns what a person should know of it."""
        write_other_gradebooks(self.out, {result.student for result in outcome.results}, self.course)
        sentences = [*what_failed(outcome.reasons, len(self.found)), *what_is_plain(outcome.plain)]
        sentences += [*without_times(outcome.results), *what_platforms_say(outcome.results)]
        if self.assignment is not None and outcome.unapplied is not None:
            sentences.append(what_waits(outcome.unapplied, self.assignment.title, self.out))
        students = [result.student for result in outcome.results]
        return [*sentences, *what_is_plain(write_formats(self.out, students, self.formats))]

    def report_to_platforms(self, outcome: RunOutcome) -> None:
        """Write for Classroom 50's runner and GitHub's job, where --format names them."""
        if "classroom50" in self.formats and not outcome.stopped:
            report_to_classroom50(self.out, outcome.results, os.environ, Path.cwd())
        if "github" in self.formats:
            paths = {each.student: each.path for each in self.found.arrivals}
            report_to_github(self.out, outcome.results, paths, os.environ, click.echo, self.fail_under)


def stored_lines(out: Path, course: Course) -> Sequence[IntakeLine]:
    """The lines of OUT/intake.csv; none where there is no such file. Raises UserError."""
    return read_intake(out / INTAKE_FILE, course) if (out / INTAKE_FILE).is_file() else []
