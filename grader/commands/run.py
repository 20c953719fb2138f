"""`grade run`: finds submissions, grades them, publishes the results, and says what changed."""

from __future__ import annotations

import os
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click
from rich.console import Console

from grader.commands.checks import checked_isolation, settings_for
from grader.commands.command_line import BELOW, FAULT, POSITIVE, STOPPED, seldom
from grader.commands.console import console_for, print_remarks
from grader.commands.intake import Intake, RunInput
from grader.commands.live import RunView, print_summary, what_a_person_should_know, what_is_plain
from grader.commands.options import CourseFolder, FailUnder, Require, Timeout
from grader.commands.out_folder import OutFolder, gradebook_so_far, open_gradebook
from grader.errors import UserError
from grader.gradebook.grading.outcome import RunOutcome
from grader.gradebook.grading.run import GradingRun
from grader.gradebook.grading.settings import GRADER_PROGRAM
from grader.publish.export.classroom50 import report_to_classroom50
from grader.publish.export.formats import FORMATS, write_formats
from grader.publish.export.github import report_to_github, without_workflow_commands
from grader.publish.inert import terminal_line
from grader.publish.report.pages import Reporter
from grader.results.wording import first_names
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.workers.nursery import Nursery


@dataclass
class GradeRun(RunInput):
    """Grades submissions and writes reports.

    SUBMISSIONS is a folder with one submission per student, or submissions. Each is a folder or archive with
    NN_name/backward.py, the lecture's notebook, or a file with --lesson (docs/submissions.md). OUT is the gradebook:
    what it knows, such as the roster, need not be given again.

    Examples:
      grade run submissions/                    again: only what is new or changed
      grade run submissions.zip --lesson 3 --roster roster.csv     a platform's download
      grade run submissions/ --assignment hw2.toml     rows, weights and due dates
    """

    jobs: Annotated[int | None, seldom("--jobs N", "Grader processes; default: one per core.", POSITIVE)]
    cluster: Annotated[str | None, seldom("--cluster ADDRESS", "A Dask scheduler (docs/operator.md).")]
    seed: Annotated[int | None, seldom("--seed N", "The same hidden problems again.")]
    timeout: Timeout
    require: Require
    fail_under: FailUnder
    formats: Annotated[
        tuple[str, ...], seldom("--format FORMAT", f"{', '.join(FORMATS)} (docs/ci.md).", click.Choice(FORMATS))
    ]
    fresh: Annotated[bool, seldom("--fresh", "Grade everything again.")]
    only_these: Annotated[bool, seldom("--only-these", "Show only this run's students.")]
    follow: Annotated[bool, seldom("--follow", "Grade what appears, until Ctrl-C (docs/operator.md).")]
    quiet: Annotated[bool, seldom("--quiet", "Print only what goes wrong.")]
    course: CourseFolder

    def run(self) -> None:
        """Grade, report to the job that this is part of, and end with the status that docs/ci.md says."""
        on_github = "github" in self.formats
        console = console_for(stderr=not on_github)
        # students' names and messages are printed meanwhile: nothing of it is a command to the job's runner
        with without_workflow_commands(click.echo) if on_github else nullcontext():
            intake, outcome = self.grade(console)
        if "classroom50" in self.formats and not outcome.stopped:
            report_to_classroom50(self.out, outcome.results, os.environ, Path.cwd())
        if on_github:
            paths = {each.student: each.path for each in intake.found.arrivals}
            report_to_github(self.out, outcome.results, paths, os.environ, click.echo, self.fail_under)
        if outcome.stopped or outcome.faults:
            raise SystemExit(STOPPED if outcome.stopped else FAULT)
        if self.fail_under is not None and (below := outcome.below(self.fail_under)):
            # a line that begins with a student's text may be a command to a job's runner
            console.print(f"Under {self.fail_under:g} %: {terminal_line(first_names(below, 10))}", soft_wrap=True)
            raise SystemExit(BELOW)

    def grade(self, console: Console) -> tuple[Intake, RunOutcome]:
        """Find the submissions, grade what is due, write the pages, and print what came of it."""
        nursery = None if self.cluster else Nursery([GRADER_PROGRAM])  # it loads torch while the submissions are read
        with ExitStack() as at_end:
            if nursery is not None:
                at_end.callback(nursery.close)
            with gradebook_so_far(self.out) as known:
                intake = Intake(self, known, self.course, self.quiet)
            course, lessons, assignment = intake.course, intake.lessons, intake.assignment
            are_chosen, inbox = bool(self.lesson_names) or assignment is not None, None
            if self.follow:
                self.check_follow(are_chosen)
                inbox = intake.follow(self.formats)
            else:
                intake.find()
                intake.check_file()
            extensions = intake.extensions()
            counted = lessons if are_chosen else intake.found.contained(lessons)
            left_out = [lesson.name for lesson in lessons if lesson not in counted]
            settings = settings_for(
                course,
                [lesson.name for lesson in counted],
                self.seed,
                self.out,
                self.require,
                limits=Limits(self.timeout, self.timeout, 6 * self.timeout),
                left_out=left_out,
                isolation=None if self.cluster is not None else checked_isolation(self.require),
            )
            with RunView(console, self.quiet) as view:
                outcome = GradingRun(
                    found=intake.found,
                    lessons=counted,
                    course=course,
                    settings=settings,
                    publisher=Reporter(list(course.lessons.values())),
                    live=view,
                    jobs=self.jobs or os.cpu_count() or 1,
                    cluster=self.cluster,
                    nursery=nursery,
                    assignment=assignment,
                    assignment_file=self.assignment_file,
                    decisions=extensions,
                    roster=intake.roster,
                    fresh=self.fresh,
                    only_these=self.only_these,
                    inbox=inbox,
                ).run()
            count, students = len(intake.found), [result.student for result in outcome.results]
            open_questions = intake.store()
            with open_gradebook(self.out) as gradebook:
                OutFolder(self.out, gradebook, course).write_other_gradebooks(students)
            sentences = what_a_person_should_know(outcome, count, assignment, self.out)
            sentences += what_is_plain(write_formats(self.out, students, self.formats))
            if not self.quiet:
                print_remarks([*outcome.joined, *open_questions])
                print_summary(console, outcome, count, self.out, left_out)
            elif outcome.stopped:
                print_remarks([f"stopped: {len(outcome.results)} of {count} were graded and are on disk."])
            print_remarks(sentences)
            return intake, outcome

    def check_follow(self, are_chosen: bool) -> None:
        """Refuse what does not go together with --follow. Raises UserError."""
        folder, *others = self.submissions
        if others or not folder.is_dir() or not os.access(folder, os.R_OK | os.X_OK):
            given = ", ".join(map(str, self.submissions))
            raise UserError(f"--follow grades what appears in one folder that you may list, and was given {given}.")
        if self.cluster is not None:
            raise UserError("--follow grades on this machine: leave out --cluster.")
        if {"github", "classroom50"} & {*self.formats}:
            raise UserError("--format github and classroom50 report to a job that ends, and --follow does not end.")
        if not are_chosen:
            raise UserError("--follow must know what counts: name the lessons with --lesson, or give --assignment.")
