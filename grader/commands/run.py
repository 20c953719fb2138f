"""`grade run`: finds submissions, grades them, publishes the results, and says what changed."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any

import click

from grader.commands.checks import GRADER_PROGRAM
from grader.commands.command_line import BELOW, FAULT, STOPPED
from grader.commands.console import console_for, print_remarks, printable
from grader.commands.follow import FollowedFolder
from grader.commands.live import RunView, print_summary
from grader.commands.run_phases import GradeRun
from grader.gradebook.grading.run import grade_run
from grader.gradebook.grading.settings import RunIdentity
from grader.publish.export.github import without_workflow_commands
from grader.publish.report.pages import Reporter
from grader.results.wording import first_names
from grader.sandbox.workers.nursery import Nursery


def run(**given: Any) -> None:
    """Grade, and end with another status than 0 where design.md says so; `given` are the fields of GradeRun."""
    this = GradeRun(**given)
    nursery = None if this.cluster else Nursery([GRADER_PROGRAM])  # it loads torch while the submissions are read
    with ExitStack() as at_end:
        if nursery is not None:
            at_end.callback(nursery.close, at_once=True)
        on_github = "github" in this.formats
        quieted = at_end.enter_context(ExitStack())
        if on_github:  # students' names and messages are printed from here on: nothing of it is a command
            quieted.enter_context(without_workflow_commands(click.echo))
        this.choose_lessons()
        inbox = FollowedFolder(this) if this.follow else None
        if inbox is None:
            this.find_submissions()
        this.count_lessons()
        settings = this.settings()
        console = console_for(stderr=not on_github)
        with RunView(console, this.quiet) as view:
            outcome = grade_run(
                this.found,
                this.lessons,
                settings,
                this.jobs or os.cpu_count() or 1,
                view,
                Reporter(this.course_lessons),
                fresh=this.fresh,
                cluster=this.cluster,
                nursery=nursery,
                identity=RunIdentity.of(this.loaded, settings, this.assignment, this.assignment_file),
                only_these=this.only_these,
                decisions=this.extensions,
                inbox=inbox,
                roster=this.known.roster,
                kept=this.known.entries(),
            )
        open_questions = this.store_intake()
        sentences = this.publish(outcome)
        if not this.quiet:
            print_remarks([*outcome.joined, *open_questions])
            print_summary(console, outcome, len(this.found), this.out, this.left_out)
        elif outcome.stopped:
            print_remarks([f"stopped: {len(outcome.results)} of {len(this.found)} were graded and are on disk."])
        print_remarks(sentences)
        quieted.close()
        this.report_to_platforms(outcome)
    if outcome.stopped or outcome.faults:
        raise SystemExit(STOPPED if outcome.stopped else FAULT)
    if this.fail_under is not None and (below := outcome.below(this.fail_under)):
        # a line that begins with a student's text may be a command to a job's runner
        console.print(f"Under {this.fail_under:g} %: {printable(first_names(below, 10))}", soft_wrap=True)
        raise SystemExit(BELOW)
