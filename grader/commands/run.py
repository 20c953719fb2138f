"""`grade run`: grades submissions, then publishes the results. Its exit codes are part of the contract."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.assignments import extensions_from, with_assignment
from grader.commands.console import (
    BELOW,
    FAULT,
    STOPPED,
    console_for,
    fail,
    open_course,
    print_remarks,
    printable,
    refuse_planted_results,
    require_solutions,
)
from grader.commands.follow import FollowedFolder
from grader.commands.live import RunView, print_summary, what_failed, what_is_plain, what_platforms_say, what_waits
from grader.commands.opened_gradebook import write_other_gradebooks
from grader.commands.remembered import ClassFiles
from grader.commands.run_context import RunContext
from grader.commands.run_inputs import (
    GRADER_PROGRAM,
    GivenSubmissions,
    check_lessons,
    checked_isolation,
    limits_from,
    require_dask,
)
from grader.commands.run_options import RUN_EPILOG, RunCommand, run_options
from grader.publish.export.github import without_workflow_commands

if TYPE_CHECKING:
    from rich.console import Console

    from grader.gradebook.grading.outcome import RunOutcome
    from grader.gradebook.grading.settings import Settings


@click.command(cls=RunCommand, epilog=RUN_EPILOG)
@run_options
def run(**words: Any) -> None:
    """Grades submissions and writes reports.

    SUBMISSIONS is a folder with one submission per student, or submissions. Each is a folder or archive with
    NN_name/backward.py, the lecture's notebook, or a file with --lesson (docs/submissions.md). OUT is the gradebook:
    what it knows, such as the roster, need not be given again.
    """
    from grader.sandbox.workers.forked import Nursery

    context = RunContext(**words)
    nursery = None if context.cluster else Nursery([GRADER_PROGRAM])  # it loads torch while the submissions are read
    if nursery is not None:
        click.get_current_context().call_on_close(lambda: nursery.close(at_once=True))
    from grader.gradebook.grading.run import grade_run
    from grader.gradebook.grading.settings import RunIdentity
    from grader.publish.report.pages import Reporter

    on_github, quieted = "github" in context.formats, ExitStack()
    if on_github:  # students' names and messages are printed from here on: nothing of it is a command
        click.get_current_context().call_on_close(quieted.close)
        quieted.enter_context(without_workflow_commands(click.echo))
    choose_lessons(context)
    source = find_submissions(context)
    settings = settings_for(context)
    console = console_for(stderr=not on_github)
    with RunView(console, context.quiet) as view:
        outcome = grade_run(
            source.found,
            context.lessons,
            settings,
            context.jobs or os.cpu_count() or 1,
            view,
            Reporter(context.course_lessons),
            fresh=context.fresh,
            cluster=context.cluster,
            nursery=nursery,
            identity=RunIdentity.of(context.loaded, settings, context.assignment, context.assignment_file),
            only_these=context.only_these,
            decisions=context.decisions,
            inbox=source if isinstance(source, FollowedFolder) else None,
            roster=context.roster,
            kept=context.known.entries(),
        )
    print_report(context, source, outcome, console)
    quieted.close()
    report_to_platforms(context, source, outcome)
    exit_with_status(outcome, context.fail_under, console)


def choose_lessons(context: RunContext) -> None:
    """Reads the course, the assignment, the roster and the times, and decides which lessons count."""
    course, named = open_course(context.course, context.lesson_names, context.submissions)
    named = named if context.lesson_names else []
    context.assignment, context.loaded, lessons = with_assignment(context.assignment_file, context.out, course, named)
    context.lessons = lessons or context.course_lessons
    context.are_chosen = bool(named) or context.assignment is not None
    require_solutions(context.lessons)
    context.known = ClassFiles(context.out, context.roster_file, context.times_files, context.quiet)


def find_submissions(context: RunContext) -> FollowedFolder | GivenSubmissions:
    """Finds the submissions, their lessons and extensions. Ends the command where something is missing."""
    source: FollowedFolder | GivenSubmissions
    if context.follow:
        source = FollowedFolder(context)
        if not context.quiet:
            click.echo(f"Following {printable(str(source.appearing.folder))}. Ctrl-C ends it.", err=True)
    else:
        if context.settle is not None:
            fail("--settle goes with --follow, which grades what appears in a folder: give both or neither.")
        source = GivenSubmissions(context)
        refuse_planted_results(context.out, [arrival.path for arrival in source.found.arrivals])
    if context.extensions_file is not None:
        file, assignment = context.extensions_file, context.assignment
        context.decisions = extensions_from(file, assignment, context.out, source.found, context.roster)
    counted = context.lessons if context.are_chosen else source.found.contained(context.lessons)
    check_lessons(counted)
    context.left_out = [lesson.name for lesson in context.lessons if lesson not in counted]
    context.lessons = counted
    return source


def settings_for(context: RunContext) -> Settings:
    """What the grader processes need to know. Ends the command where the limits or this machine will not do."""
    from grader.gradebook.grading.settings import Settings

    limits, isolation = limits_from(context.timeout), None
    if context.cluster is None:
        isolation = asdict(checked_isolation(context.require))
    else:
        require_dask()
    return Settings(
        course=str(context.loaded.root.resolve()),
        lessons=[lesson.name for lesson in context.lessons],
        seed=secrets.randbits(32) if context.seed is None else context.seed,
        out=str(context.out),
        program=GRADER_PROGRAM,
        seed_given=context.seed is not None,
        limits=limits.to_dict(),
        require=context.require,
        left_out=context.left_out,
        isolation=isolation,
        course_settings=context.loaded.changed,
    )


def print_report(
    context: RunContext, source: FollowedFolder | GivenSubmissions, outcome: RunOutcome, console: Console
) -> None:
    """Writes what depends on the results, and prints what a person should know."""
    from grader.publish.export.formats import write_formats
    from grader.publish.report.classroom import without_times

    students = [result.student for result in outcome.results]
    write_other_gradebooks(context.out, set(students), context.course)
    open_questions, count = source.store_intake(), len(source.found)
    if not context.quiet:
        print_remarks([*outcome.joined, *open_questions])
        print_summary(console, outcome, count, context.out, context.left_out)
    elif outcome.stopped:
        click.echo(f"grade: stopped: {len(students)} of {count} were graded and are on disk.", err=True)
    print_remarks([*what_failed(outcome.reasons, count), *what_is_plain(outcome.plain)])
    print_remarks([*map(printable, without_times(outcome.results)), *what_platforms_say(outcome.results)])
    if context.assignment is not None and outcome.unapplied is not None:
        print_remarks([what_waits(outcome.unapplied, context.assignment.title, context.out)])
    print_remarks(what_is_plain(write_formats(context.out, students, context.formats)))


def report_to_platforms(context: RunContext, source: FollowedFolder | GivenSubmissions, outcome: RunOutcome) -> None:
    """Tells Classroom 50's runner and GitHub's job, where --format names them."""
    from grader.publish.export.classroom50 import report_to_classroom50
    from grader.publish.export.github import report_to_github

    if "classroom50" in context.formats and not outcome.stopped:
        report_to_classroom50(context.out, outcome.results, os.environ, Path.cwd())
    if "github" in context.formats:
        paths = {each.student: each.path for each in source.found.arrivals}
        report_to_github(context.out, outcome.results, paths, os.environ, click.echo, context.fail_under)


def exit_with_status(outcome: RunOutcome, fail_under: float | None, console: Console) -> None:
    """Ends the command with another status than 0 unless everything was graded and no score is below the bound."""
    if outcome.stopped:
        raise SystemExit(STOPPED)
    if outcome.faults:
        raise SystemExit(FAULT)
    if fail_under is not None and (below := outcome.below(fail_under)):
        console.print(
            f"Under {fail_under:g} %: {printable(', '.join(below[:10]))}{' ...' if len(below) > 10 else ''}",
            soft_wrap=True,  # a line that begins with a student's text may be a command to a job's runner
        )
        raise SystemExit(BELOW)
