"""The phases of `grade run` on one context: what its command line says, and what the phases find out."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import click

from grader.commands.checks import (
    GRADER_PROGRAM,
    checked_isolation,
    open_course,
    refuse_planted_results,
    require_solutions,
    with_assignment,
)
from grader.commands.class_files import ClassFiles
from grader.commands.command_line import FOLDER, POSITIVE, argument, option, seldom
from grader.commands.console import print_remarks
from grader.commands.decisions import extensions_from
from grader.commands.live import what_failed, what_is_plain, what_platforms_say, what_waits
from grader.commands.opened_gradebook import write_other_gradebooks
from grader.commands.options import GRADES, AssignmentPath, CourseFolder, FailUnder, Require, RosterFile, Timeout
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
from grader.publish.export.formats import FORMATS, write_formats
from grader.publish.report.classroom import without_times
from grader.results.wording import count_text
from grader.sandbox.isolation.limits import Limits

MAX_INPUTS_NAMED = 5


def code_page(name: str) -> str:
    """The name of a code page, such as cp932."""
    try:
        name.encode("ascii").decode(name)
    except (LookupError, ValueError):
        raise click.BadParameter(f"{name!r} is no code page; expected a name such as cp932, gbk or cp866.") from None
    return name


@dataclass(kw_only=True)
class RunPhases:
    """The command line of `grade run`, what its phases find out, and the phases."""

    submissions: Annotated[tuple[Path, ...], argument("SUBMISSIONS...", required=True)]
    out: Annotated[Path, option("-o --out OUT", "Folder for the results; default: grades.", FOLDER, default=GRADES)]
    lesson_names: Annotated[tuple[str, ...], option("--lesson L", "Count only this lesson; may be repeated.")] = ()
    assignment_file: AssignmentPath = None
    extensions_file: Annotated[Path | None, option("--extensions CSV", "Other due dates, and who is excused.")] = None
    roster_file: RosterFile = None
    times_files: Annotated[
        tuple[Path, ...], option("--times FILE", "When students submitted (docs/assignments.md).")
    ] = ()
    intake_file: Annotated[Path | None, option("--intake CSV", "OUT/intake.csv, after you have edited it.")] = None
    code_page: Annotated[
        str | None, seldom("--zip-names CODE", "Code page of names in a .zip, such as cp932.", code_page)
    ] = None
    jobs: Annotated[int | None, seldom("--jobs N", "Grader processes; default: one per core.", POSITIVE)] = None
    cluster: Annotated[str | None, seldom("--cluster ADDRESS", "A Dask scheduler (docs/operator.md).")] = None
    seed: Annotated[int | None, seldom("--seed N", "The same hidden problems again.")] = None
    timeout: Timeout = 10.0
    require: Require = "fair"
    fail_under: FailUnder = None
    formats: Annotated[
        tuple[str, ...], seldom("--format FORMAT", f"{', '.join(FORMATS)} (docs/ci.md).", click.Choice(FORMATS))
    ] = ()
    fresh: Annotated[bool, seldom("--fresh", "Grade everything again.")] = False
    only_these: Annotated[bool, seldom("--only-these", "Show only this run's students.")] = False
    follow: Annotated[bool, seldom("--follow", "Grade what appears, until Ctrl-C (docs/operator.md).")] = False
    quiet: Annotated[bool, seldom("--quiet", "Print only what goes wrong.")] = False
    course: CourseFolder = None

    # what the phases find out
    loaded: Course = field(init=False)
    known: ClassFiles = field(init=False)
    found: FoundSubmissions = field(init=False)
    assignment: Assignment | None = None
    lessons: list[Lesson] = field(default_factory=list)  # that are graded
    left_out: list[str] = field(default_factory=list)  # names of those that no submission contains
    are_chosen: bool = False  # whether somebody has said which lessons count
    lines: list[IntakeLine] = field(default_factory=list)  # of intake.csv
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
        roster = self.known.roster
        self.found = find(self.submissions, self.lessons, self.course_lessons, roster, code_page=self.code_page)
        unclear, counts = self.known.set_times(self.found, self.assignment)
        print_remarks(unclear if self.quiet else [*unclear, *counts])
        self.read_intake_files()
        if self.intake_file is not None:
            self._check_intake(self.intake_file)
        print_remarks(f"{'roster: ' if roster else ''}{remark}" for remark in self.found.remarks)
        refuse_planted_results(self.out, [arrival.path for arrival in self.found.arrivals])

    def read_intake_files(self) -> None:
        """Have submissions read as OUT/intake.csv says where it is confirmed, and as the file says that is given."""
        new = [] if self.intake_file is None else confirmed_lines(read_intake(self.intake_file, self.loaded))
        keys, stored = {line.key for line in new}, self.out / INTAKE_FILE
        kept = read_intake(stored, self.loaded) if stored.is_file() else []
        self.lines = [line for line in kept if line.key not in keys] + new
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
        if (file := self.extensions_file) is not None:
            self.extensions = extensions_from(file, self.assignment, self.out, self.found, self.known.roster)
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
