"""`grade run`: grades submissions, then publishes what came of them. Its exit codes are part of the contract."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands import early_nursery
from grader.commands.assignments import extensions_from, with_assignment
from grader.commands.console import (
    BELOW,
    FAULT,
    STOPPED,
    console_for,
    open_course,
    print_remarks,
    printable,
    require_solutions,
)
from grader.commands.follow import FollowedFolder, followed
from grader.commands.live import RunView, print_summary, what_failed
from grader.commands.opened_gradebook import write_other_gradebooks
from grader.commands.run_inputs import (
    GivenSubmissions,
    check_lessons,
    checked_isolation,
    existing,
    limits_from,
    require_dask,
    set_times,
)
from grader.commands.run_options import EPILOG, RunOptions, run_options
from grader.commands.signing import hidden_key, sign_or_warn
from grader.publish.export.github import commands_stopped

if TYPE_CHECKING:
    from rich.console import Console

    from grader.gradebook.assignment.config import Assignment
    from grader.gradebook.grading.run import RunOutcome
    from grader.gradebook.grading.settings import Settings
    from grader.lesson.lesson import Course, Lesson


@click.command(epilog=EPILOG)
@run_options
def run(**words: Any) -> None:
    """Grades submissions and writes reports.

    SUBMISSIONS are folders, archives or single files, or one folder with a submission for each student.

    A submission is a folder (or a .zip, .tar.gz of one) that holds NN_name/backward.py for one or more lessons, the
    lecture's notebook (.ipynb, or a script like it), or a .py or .ipynb file with --lesson.
    """
    options = RunOptions(**words)
    nursery = None if options.cluster else early_nursery.take()  # it loads torch while the submissions are read
    if nursery is not None:
        click.get_current_context().call_on_close(lambda: nursery.close(at_once=True))
    from grader.gradebook.grading.run import grade_run
    from grader.gradebook.grading.settings import RunIdentity
    from grader.intake.submissions.places import innermost
    from grader.intake.submissions.roster import read_roster
    from grader.publish.export.outputs import report_to_classroom50, report_to_github, write_formats
    from grader.publish.report.pages import Reporter

    out, formats = options.out, options.formats
    # the nursery has started: it never holds the key
    key = None if options.key_path is None else hidden_key(options.key_path)
    on_github, quieted = "github" in formats, ExitStack()
    if on_github:  # students' names and messages are printed from here on: nothing of it is a command
        click.get_current_context().call_on_close(quieted.close)
        quieted.enter_context(commands_stopped(click.echo))

    course, named = open_course(options.course, options.lesson_names)
    named = named if options.lesson_names else []
    assignment, course, lessons = with_assignment(options.assignment_file, out, course, named)
    lessons = lessons or list(course.lessons.values())
    require_solutions(lessons)
    are_chosen = bool(named) or assignment is not None

    roster = None if options.roster_file is None else read_roster(options.roster_file)
    with_times = partial(
        set_times,
        files=options.times_files,
        zone=options.times_zone,
        assignment=assignment,
        roster=(options.roster_file, roster),
    )
    intake_file, inbox = options.intake_file, None
    source: FollowedFolder | GivenSubmissions
    if options.follow:
        folder = followed(options.submissions, options.cluster, formats, are_chosen)
        inbox = FollowedFolder(
            folder, options.settle, out, lessons, course, roster, intake_file, key, formats, with_times
        )
        source = inbox
        if not options.quiet:
            click.echo(f"Following {printable(str(folder))}. Ctrl-C ends it.", err=True)
    else:
        with_times = partial(with_times, quiet=options.quiet)
        source = GivenSubmissions(options.submissions, out, lessons, course, roster, intake_file, with_times)
    found = source.found
    decisions = []
    if options.extensions_file is not None:
        decisions = extensions_from(options.extensions_file, assignment, out, found, roster)
    counted = lessons if are_chosen else found.contained(lessons)
    left_out = [lesson.name for lesson in lessons if lesson not in counted]
    check_lessons(counted)

    settings = settings_for(options, course, counted, left_out, source.unpacked, assignment)
    console = console_for(stderr=not on_github)
    with RunView(console, options.quiet) as view:
        outcome = grade_run(
            found,
            counted,
            settings,
            options.jobs or os.cpu_count() or 1,
            view,
            Reporter([*course.lessons.values()]),
            fresh=options.fresh,
            cluster=options.cluster,
            attendance=found.attendance,
            nursery=nursery,
            identity=RunIdentity.of(course, settings, options.same_course, assignment),
            only_these=options.only_these,
            other_names=found.other_names,
            decisions=decisions,
            inbox=inbox,
            times=found.times,
        )
    students = [result.student for result in outcome.results]
    write_other_gradebooks(out, set(students))
    open_questions, count = source.store_intake(), len(source.found)
    if not options.quiet:
        print_remarks(open_questions)
        print_summary(console, outcome, count, out, left_out)
    elif outcome.stopped:
        click.echo(f"grade: stopped: {len(students)} of {count} were graded and are on disk.", err=True)
    print_remarks(what_failed(outcome.reasons, count))

    sign_or_warn(out, key, set(students))
    write_formats(out, students, formats)
    if "classroom50" in formats and not outcome.stopped:
        report_to_classroom50(out, outcome.results, os.environ, Path.cwd())
    if on_github:
        quieted.close()
        places = {each.student: each.path for each in found.arrivals}
        paths = {who: innermost(path, counted) if path.is_dir() else path for who, path in places.items()}
        report_to_github(out, outcome.results, paths, os.environ, click.echo, options.fail_under)
    exit_with_status(outcome, options.fail_under, console)


def settings_for(
    options: RunOptions,
    course: Course,
    lessons: Sequence[Lesson],
    left_out: Sequence[str],
    unpacked: Path | None,
    assignment: Assignment | None,
) -> Settings:
    """What the grader processes need to know. Ends the command where the limits or this machine will not do."""
    from grader.gradebook.grading.settings import Settings

    limits = limits_from(options.timeout, options.chosen_limits)
    isolation = None
    if options.cluster is None:
        isolation = asdict(checked_isolation(options.require))
    else:
        require_dask()
    key_folder = None if options.key_path is None else options.key_path.resolve().parent
    return Settings(
        course=str(course.root.resolve()),
        lessons=[lesson.name for lesson in lessons],
        seed=secrets.randbits(32) if options.seed is None else options.seed,
        out=str(options.out),
        program=early_nursery.GRADER_PROGRAM,
        seed_given=options.seed is not None,
        limits=limits.to_dict(),
        require=options.require,
        hide=existing([options.out, unpacked, key_folder, *options.submissions]),
        left_out=list(left_out),
        isolation=isolation,
        cache=not options.no_cache,
        course_settings={} if assignment is None else dict(assignment.settings),
    )


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
