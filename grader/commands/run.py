"""`grade run`: grades submissions, then publishes the results. Its exit codes are part of the contract."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack
from dataclasses import asdict, dataclass
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
    fail,
    open_course,
    print_remarks,
    printable,
    refuse_planted_results,
    require_solutions,
)
from grader.commands.follow import FollowedFolder, folder_to_follow
from grader.commands.live import RunView, print_summary, what_failed, what_is_plain, what_platforms_say, what_waits
from grader.commands.opened_gradebook import write_other_gradebooks
from grader.commands.remembered import ClassFiles
from grader.commands.run_inputs import (
    GivenSubmissions,
    check_lessons,
    checked_isolation,
    limits_from,
    require_dask,
    set_times,
)
from grader.commands.run_options import RUN_EPILOG, RunCommand, RunOptions, run_options
from grader.publish.export.github import without_workflow_commands

if TYPE_CHECKING:
    from rich.console import Console

    from grader.gradebook.assignment.config import Assignment
    from grader.gradebook.grading.outcome import RunOutcome
    from grader.gradebook.grading.settings import Settings
    from grader.gradebook.records import Decision
    from grader.lesson.lesson import Course, Lesson


@click.command(cls=RunCommand, epilog=RUN_EPILOG)
@run_options
def run(**words: Any) -> None:
    """Grades submissions and writes reports.

    SUBMISSIONS is a folder with one submission per student, or submissions. Each is a folder or archive with
    NN_name/backward.py, the lecture's notebook, or a file with --lesson (docs/submissions.md). OUT is the gradebook:
    what it knows, such as the roster, need not be given again.
    """
    options = RunOptions(**words)
    nursery = None if options.cluster else early_nursery.take()  # it loads torch while the submissions are read
    if nursery is not None:
        click.get_current_context().call_on_close(lambda: nursery.close(at_once=True))
    from grader.gradebook.grading.run import grade_run
    from grader.gradebook.grading.settings import RunIdentity
    from grader.publish.export.outputs import write_formats
    from grader.publish.report.classroom import without_times
    from grader.publish.report.pages import Reporter

    on_github, quieted = "github" in options.formats, ExitStack()
    if on_github:  # students' names and messages are printed from here on: nothing of it is a command
        click.get_current_context().call_on_close(quieted.close)
        quieted.enter_context(without_workflow_commands(click.echo))
    work = work_of(options)
    settings = settings_for(options, work)
    found = work.source.found
    console = console_for(stderr=not on_github)
    with RunView(console, options.quiet) as view:
        outcome = grade_run(
            found,
            work.lessons,
            settings,
            options.jobs or os.cpu_count() or 1,
            view,
            Reporter([*work.course.lessons.values()]),
            fresh=options.fresh,
            cluster=options.cluster,
            nursery=nursery,
            identity=RunIdentity.of(work.course, settings, work.assignment, options.assignment_file),
            only_these=options.only_these,
            decisions=work.decisions,
            inbox=work.source if isinstance(work.source, FollowedFolder) else None,
            roster=work.known.roster,
            kept=work.known.entries(),
        )
    students = [result.student for result in outcome.results]
    write_other_gradebooks(options.out, set(students), options.course)
    open_questions, count = work.source.store_intake(), len(work.source.found)
    if not options.quiet:
        print_remarks([*outcome.joined, *open_questions])
        print_summary(console, outcome, count, options.out, work.left_out)
    elif outcome.stopped:
        click.echo(f"grade: stopped: {len(students)} of {count} were graded and are on disk.", err=True)
    print_remarks([*what_failed(outcome.reasons, count), *what_is_plain(outcome.plain)])
    print_remarks([*map(printable, without_times(outcome.results)), *what_platforms_say(outcome.results)])
    if work.assignment is not None and outcome.unapplied is not None:
        print_remarks([what_waits(outcome.unapplied, work.assignment.title, options.out)])
    print_remarks(what_is_plain(write_formats(options.out, students, options.formats)))
    quieted.close()
    report_to_platforms(options, work, outcome)
    exit_with_status(outcome, options.fail_under, console)


@dataclass(frozen=True)
class WorkToDo:
    """What a command line comes to: `left_out` are the lessons that no submission contains."""

    course: Course
    assignment: Assignment | None
    source: FollowedFolder | GivenSubmissions
    lessons: list[Lesson]
    left_out: list[str]
    decisions: list[Decision]
    known: ClassFiles


def work_of(options: RunOptions) -> WorkToDo:
    """Reads the course and the assignment, and finds the submissions. Ends the command where something is missing."""
    out, formats, intake_file = options.out, options.formats, options.intake_file
    course, named = open_course(options.course, options.lesson_names, options.submissions)
    named = named if options.lesson_names else []
    assignment, course, lessons = with_assignment(options.assignment_file, out, course, named)
    lessons = lessons or list(course.lessons.values())
    require_solutions(lessons)
    are_chosen = bool(named) or assignment is not None
    known = ClassFiles(out, options.roster_file, options.times_files, options.quiet)
    roster = known.roster
    with_times = partial(
        set_times,
        files=options.times_files,
        assignment=assignment,
        known=known,
    )
    source: FollowedFolder | GivenSubmissions
    if options.follow:
        folder = folder_to_follow(options.submissions, options.cluster, formats, are_chosen)
        source = FollowedFolder(folder, options.settle, out, lessons, course, roster, intake_file, formats, with_times)
        if not options.quiet:
            click.echo(f"Following {printable(str(folder))}. Ctrl-C ends it.", err=True)
    else:
        if options.settle is not None:
            fail("--settle goes with --follow, which grades what appears in a folder: give both or neither.")
        with_times = partial(with_times, quiet=options.quiet)
        source = GivenSubmissions(
            options.submissions, out, lessons, course, roster, intake_file, with_times, options.code_page
        )
        refuse_planted_results(out, [arrival.path for arrival in source.found.arrivals])
    decisions = []
    if options.extensions_file is not None:
        decisions = extensions_from(options.extensions_file, assignment, out, source.found, roster)
    counted = lessons if are_chosen else source.found.contained(lessons)
    check_lessons(counted)
    left_out = [lesson.name for lesson in lessons if lesson not in counted]
    return WorkToDo(course, assignment, source, counted, left_out, decisions, known)


def settings_for(options: RunOptions, work: WorkToDo) -> Settings:
    """What the grader processes need to know. Ends the command where the limits or this machine will not do."""
    from grader.gradebook.grading.settings import Settings

    limits = limits_from(options.timeout)
    isolation = None
    if options.cluster is None:
        isolation = asdict(checked_isolation(options.require))
    else:
        require_dask()
    return Settings(
        course=str(work.course.root.resolve()),
        lessons=[lesson.name for lesson in work.lessons],
        seed=secrets.randbits(32) if options.seed is None else options.seed,
        out=str(options.out),
        program=early_nursery.GRADER_PROGRAM,
        seed_given=options.seed is not None,
        limits=limits.to_dict(),
        require=options.require,
        left_out=work.left_out,
        isolation=isolation,
        course_settings=work.course.changed,
    )


def report_to_platforms(options: RunOptions, work: WorkToDo, outcome: RunOutcome) -> None:
    """Tells Classroom 50's runner and GitHub's job, where --format names them."""
    from grader.intake.submissions.places import innermost
    from grader.publish.export.outputs import report_to_classroom50, report_to_github

    if "classroom50" in options.formats and not outcome.stopped:
        report_to_classroom50(options.out, outcome.results, os.environ, Path.cwd())
    if "github" in options.formats:
        places = {each.student: each.path for each in work.source.found.arrivals}
        paths = {who: innermost(path, work.lessons) if path.is_dir() else path for who, path in places.items()}
        report_to_github(options.out, outcome.results, paths, os.environ, click.echo, options.fail_under)


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
