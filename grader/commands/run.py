"""`grade run`: finds submissions, grades them, publishes the results, and says what changed."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack
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
from grader.commands.command_line import BELOW, FAULT, FOLDER, POSITIVE, STOPPED, argument, option, seldom
from grader.commands.console import console_for, print_remarks
from grader.commands.decisions import extensions_from
from grader.commands.live import RunView, print_summary, what_a_person_should_know, what_is_plain
from grader.commands.opened_gradebook import write_other_gradebooks
from grader.commands.options import GRADES, AssignmentPath, CourseFolder, FailUnder, Require, RosterFile, Timeout
from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.files import output_errors, write_whole
from grader.gradebook.grading.run import grade_run
from grader.gradebook.grading.settings import RunIdentity, Settings
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
from grader.publish.export.formats import FORMATS, write_formats
from grader.publish.export.github import report_to_github, without_workflow_commands
from grader.publish.inert import terminal_line
from grader.publish.report.pages import Reporter
from grader.results.wording import count_text, first_names
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.workers.nursery import Nursery

MAX_INPUTS_NAMED = 5


@dataclass(kw_only=True)
class GradeRun:
    """Grades submissions and writes reports.

    SUBMISSIONS is a folder with one submission per student, or submissions. Each is a folder or archive with
    NN_name/backward.py, the lecture's notebook, or a file with --lesson (docs/submissions.md). OUT is the gradebook:
    what it knows, such as the roster, need not be given again.

    Examples:
      grade run submissions/                    again: only what is new or changed
      grade run submissions.zip --lesson 3 --roster roster.csv     a platform's download
      grade run submissions/ --assignment hw2.toml     rows, weights and due dates
    """

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
    lines: list[IntakeLine] = field(default_factory=list)  # of intake.csv

    @property
    def course_lessons(self) -> list[Lesson]:
        return list(self.loaded.lessons.values())

    @property
    def are_chosen(self) -> bool:
        """Whether somebody has said which lessons count."""
        return bool(self.lesson_names) or self.assignment is not None

    def run(self) -> None:
        """Grade, and end with another status than 0 where design.md says so."""
        nursery = None if self.cluster else Nursery([GRADER_PROGRAM])  # it loads torch while the submissions are read
        on_github = "github" in self.formats
        with ExitStack() as at_end:
            if nursery is not None:
                at_end.callback(nursery.close, at_once=True)
            quieted = at_end.enter_context(ExitStack())
            if on_github:  # students' names and messages are printed from here on: nothing of it is a command
                quieted.enter_context(without_workflow_commands(click.echo))
            self.read_course()
            inbox = None
            if self.follow:
                from grader.commands.follow import FollowedFolder

                inbox = FollowedFolder(self)
            else:
                self.find_submissions()
            extensions = []
            if (file := self.extensions_file) is not None:
                extensions = extensions_from(file, self.assignment, self.out, self.found, self.known.roster)
            counted = self.lessons if self.are_chosen else self.found.contained(self.lessons)
            left_out = [lesson.name for lesson in self.lessons if lesson not in counted]
            self.lessons = counted
            settings = self.settings(left_out)
            console = console_for(stderr=not on_github)
            with RunView(console, self.quiet) as view:
                outcome = grade_run(
                    self.found,
                    self.lessons,
                    settings,
                    self.jobs or os.cpu_count() or 1,
                    view,
                    Reporter(self.course_lessons),
                    fresh=self.fresh,
                    cluster=self.cluster,
                    nursery=nursery,
                    identity=RunIdentity.of(self.loaded, settings, self.assignment, self.assignment_file),
                    only_these=self.only_these,
                    decisions=extensions,
                    inbox=inbox,
                    roster=self.known.roster,
                    kept=self.known.entries(),
                )
            open_questions, students = self.store_intake(), [result.student for result in outcome.results]
            write_other_gradebooks(self.out, students, self.course)
            sentences = what_a_person_should_know(outcome, len(self.found), self.assignment, self.out)
            sentences += what_is_plain(write_formats(self.out, students, self.formats))
            if not self.quiet:
                print_remarks([*outcome.joined, *open_questions])
                print_summary(console, outcome, len(self.found), self.out, left_out)
            elif outcome.stopped:
                print_remarks([f"stopped: {len(outcome.results)} of {len(self.found)} were graded and are on disk."])
            print_remarks(sentences)
            quieted.close()
            if "classroom50" in self.formats and not outcome.stopped:
                report_to_classroom50(self.out, outcome.results, os.environ, Path.cwd())
            if on_github:
                paths = {each.student: each.path for each in self.found.arrivals}
                report_to_github(self.out, outcome.results, paths, os.environ, click.echo, self.fail_under)
        if outcome.stopped or outcome.faults:
            raise SystemExit(STOPPED if outcome.stopped else FAULT)
        if self.fail_under is not None and (below := outcome.below(self.fail_under)):
            # a line that begins with a student's text may be a command to a job's runner
            console.print(f"Under {self.fail_under:g} %: {terminal_line(first_names(below, 10))}", soft_wrap=True)
            raise SystemExit(BELOW)

    def read_course(self) -> None:
        """Read the course, the assignment, the roster and the times, and decide which lessons may count."""
        course, _ = open_course(self.course, self.lesson_names, self.submissions)
        self.assignment, self.loaded, self.lessons = with_assignment(
            self.assignment_file, self.out, course, self.lesson_names
        )
        require_solutions(self.lessons)
        self.known = ClassFiles(self.out, self.roster_file, self.times_files)
        print_remarks(() if self.quiet else self.known.remarks)

    def find_submissions(self) -> None:
        """Find the submissions with their times, and read intake.csv."""
        self.found = find(self.submissions, self.lessons, self.course_lessons, self.known.roster)
        unclear, counts = self.known.set_times(self.found, self.assignment)
        print_remarks(unclear if self.quiet else [*unclear, *counts])
        self.read_intake_files()
        if self.intake_file is not None:
            self.check_intake(self.intake_file)
        print_remarks(f"{'roster: ' if self.known.roster else ''}{remark}" for remark in self.found.remarks)
        refuse_planted_results(self.out, [arrival.path for arrival in self.found.arrivals])

    def read_intake_files(self) -> None:
        """Have submissions read as OUT/intake.csv says where it is confirmed, and as the file says that is given."""
        new = [] if self.intake_file is None else confirmed_lines(read_intake(self.intake_file, self.loaded))
        keys, stored = {line.key for line in new}, self.out / INTAKE_FILE
        kept = read_intake(stored, self.loaded) if stored.is_file() else []
        self.lines = [line for line in kept if line.key not in keys] + new
        self.found.decided = decisions(self.lines)

    def check_intake(self, given: Path) -> None:
        """Refuse a file about other students than this run's, or with files that a submission does not have."""
        names = {line.student for line in read_intake(given, self.loaded)}
        students = {arrival.student for arrival in self.found.arrivals}
        if names and names.isdisjoint(students):
            shown = first_names(sorted(names), MAX_INPUTS_NAMED)
            raise UserError(f"{given} is about nobody in this run ({shown}): write the names as in grades.csv.")
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

    def settings(self, left_out: list[str]) -> Settings:
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
            left_out=left_out,
            isolation=None if self.cluster is not None else asdict(checked_isolation(self.require)),
            course_settings=self.loaded.changed,
        )
