"""`grade run`: finds submissions, grades them, publishes the results, and says what changed."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click

from grader.commands.checks import GRADER_PROGRAM
from grader.commands.command_line import BELOW, FAULT, STOPPED
from grader.commands.console import console_for, print_remarks
from grader.commands.follow import FollowedFolder
from grader.commands.live import RunView, print_summary
from grader.commands.run_phases import RunPhases
from grader.gradebook.grading.run import grade_run
from grader.gradebook.grading.settings import RunIdentity
from grader.publish.export.classroom50 import report_to_classroom50
from grader.publish.export.github import report_to_github, without_workflow_commands
from grader.publish.inert import terminal_line
from grader.publish.report.pages import Reporter
from grader.results.wording import first_names
from grader.sandbox.workers.nursery import Nursery


@dataclass(kw_only=True)
class GradeRun(RunPhases):
    """Grades submissions and writes reports.

    SUBMISSIONS is a folder with one submission per student, or submissions. Each is a folder or archive with
    NN_name/backward.py, the lecture's notebook, or a file with --lesson (docs/submissions.md). OUT is the gradebook:
    what it knows, such as the roster, need not be given again.

    Examples:
      grade run submissions/                    again: only what is new or changed
      grade run submissions.zip --lesson 3 --roster roster.csv     a platform's download
      grade run submissions/ --assignment hw2.toml     rows, weights and due dates
      grade run late/ada --lesson 03            one more student for the class in grades/
    """

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
            self.choose_lessons()
            inbox = FollowedFolder(self) if self.follow else None
            if inbox is None:
                self.find_submissions()
            self.count_lessons()
            settings = self.settings()
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
                    decisions=self.extensions,
                    inbox=inbox,
                    roster=self.known.roster,
                    kept=self.known.entries(),
                )
            open_questions = self.store_intake()
            sentences = self.publish(outcome)
            if not self.quiet:
                print_remarks([*outcome.joined, *open_questions])
                print_summary(console, outcome, len(self.found), self.out, self.left_out)
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
