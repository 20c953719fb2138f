"""`grade run`: grades submissions, then publishes what came of them. Its exit codes are part of the contract."""

from __future__ import annotations

import importlib.util
import os
import secrets
from contextlib import ExitStack
from dataclasses import asdict
from datetime import tzinfo
from functools import partial
from pathlib import Path

import click

from grader.commands import early_nursery
from grader.commands.assignments import assignment_option, extensions_from, extensions_option, with_assignment
from grader.commands.before_grading import LIMIT_NAMES, check_lessons, checked_isolation, existing, limits_from
from grader.commands.console import (
    BELOW,
    FAULT,
    STOPPED,
    console_for,
    course_option,
    fail,
    open_course,
    printable,
    require_solutions,
)
from grader.commands.follow import FollowedFolder, follow_options, followed
from grader.commands.live import RunView, print_summary, what_failed
from grader.commands.opened_gradebook import write_other_gradebooks
from grader.commands.options import FILE, gradebook_option, lesson_option, roster_option
from grader.commands.run_inputs import set_times, times_options
from grader.commands.signing import hidden_key, sign_option, sign_or_warn
from grader.publish.export.github import commands_stopped
from grader.publish.export.outputs import FORMATS
from grader.sandbox.isolation.probe import LEVELS

EPILOG = """\b
Examples:
  grade run submissions/                       a folder with one submission for each student
  grade run ada.zip bo/ --lesson 03 -o out     two submissions, one lesson, results in out/
  grade run backward.py --lesson 4             a single file
  grade run makemore_part4_backprop.ipynb      the lecture's own notebook, or a folder of such
  grade run submissions.zip --lesson 3 --roster roster.csv   a download of Canvas, Moodle or Gradescope
  grade run . --lesson 3 --fail-under 80       for CI: exit status 1 below 80 percent
  grade run submissions/ --seed 7 -o seed7     the same hidden problems again
  grade run late/ada --lesson 03               one more submission for the class in grades/
  grade run submissions/ --assignment hw2.toml --extensions extensions.csv   rows, weights and due dates
  grade run submissions/                       again: grades only what is new or changed
  grade run submissions/ --intake grades/intake.csv   after you have edited intake.csv
  grade run --follow inbox/ --lesson 03        whatever appears in inbox/, until Ctrl-C
"""


@click.command(epilog=EPILOG)
@click.argument("submissions", nargs=-1, required=True, type=click.Path(path_type=Path))
@gradebook_option("Folder for the results.")
@lesson_option(
    "Count this lesson (number, name or both) and no other; may be repeated.  [default: those that any submission "
    "contains]"
)
@assignment_option
@extensions_option
@roster_option("The class's list (id, name, email): names come from it, and who submitted nothing is listed.")
@times_options
@click.option(
    "--intake",
    "intake_file",
    type=FILE,
    metavar="CSV",
    help="OUT/intake.csv after you have edited it: which file of a submission is which lesson.",
)
@click.option("--jobs", type=click.IntRange(1), default=None, help="Grader processes.  [default: one per core]")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    default=None,
    help="Grade on the workers of a Dask scheduler, such as tcp://192.168.0.7:8786 (docs/scale.md).",
)
@click.option(
    "--seed",
    type=int,
    default=None,
    help="Makes a run repeatable: the same hidden problems again.  [default: a new one]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0.1),
    default=10.0,
    show_default=True,
    help="Seconds for running a file, and again for each of its steps.",
)
@click.option(
    "--require",
    type=click.Choice(LEVELS),
    default="fair",
    show_default=True,
    help="Refuse to grade with less isolation than this.",
)
@click.option(
    "--limit",
    "chosen_limits",
    multiple=True,
    metavar="NAME=NUMBER",
    help=f"Another limit of a submission; may be repeated. Names: {', '.join(LIMIT_NAMES)}.",
)
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    default=None,
    metavar="PERCENT",
    help="Exit with 1 when a score is below.",
)
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMATS),
    multiple=True,
    help="Write the results for another program, too; may be repeated. gradescope and junit are files next to the "
    "reports, github is for the job that runs this, classroom50 for Classroom 50's runner (docs/ci.md).",
)
@click.option(
    "--fresh", is_flag=True, help="Grade everything again, not only what is new or changed since the last run on OUT."
)
@click.option(
    "--only-these", is_flag=True, help="Show only this run in index.html and grades.csv.  [default: everybody in OUT]"
)
@click.option(
    "--same-course", is_flag=True, help="Accept the results in OUT, if the course's folder has moved since then."
)
@click.option(
    "--no-cache",
    is_flag=True,
    help="Run every function of every submission, also those that equal one judged before in this run. The results are "
    "the same; it takes longer.",
)
@follow_options
@sign_option
@click.option("--quiet", is_flag=True, help="Print only what goes wrong.")
@course_option
def run(
    submissions: tuple[Path, ...],
    out: Path,
    lesson_names: tuple[str, ...],
    assignment_file: Path | None,
    extensions_file: Path | None,
    roster_file: Path | None,
    times_files: tuple[Path, ...],
    times_zone: tzinfo | None,
    intake_file: Path | None,
    jobs: int | None,
    cluster: str | None,
    seed: int | None,
    timeout: float,
    require: str,
    chosen_limits: tuple[str, ...],
    fail_under: float | None,
    formats: tuple[str, ...],
    fresh: bool,
    only_these: bool,
    same_course: bool,
    no_cache: bool,
    follow: bool,
    settle: float,
    key_path: Path | None,
    quiet: bool,
    course: Path | None,
) -> None:
    """Grades submissions and writes reports.

    SUBMISSIONS are folders, archives or single files, or one folder with a submission for each student.

    A submission is a folder (or a .zip, .tar.gz of one) that holds NN_name/backward.py for one or more lessons, the
    lecture's notebook (.ipynb, or a script like it), or a .py or .ipynb file with --lesson.
    """
    nursery = None if cluster else early_nursery.take()  # it loads torch while the submissions are read
    if nursery is not None:
        click.get_current_context().call_on_close(lambda: nursery.close(at_once=True))
    from grader.commands.run_inputs import apply_intake, store_intake
    from grader.gradebook.grading.run import grade_run
    from grader.gradebook.grading.run_identity import RunIdentity
    from grader.gradebook.grading.settings import Settings
    from grader.intake.submissions.finding import find
    from grader.intake.submissions.places import innermost
    from grader.intake.submissions.roster import read_roster
    from grader.publish.export.outputs import report_to_classroom50, report_to_github, write_formats
    from grader.publish.report.pages import Reporter

    key = None if key_path is None else hidden_key(key_path)  # the nursery has started: it never holds the key
    on_github, quieted = "github" in formats, ExitStack()
    if on_github:  # students' names and messages are printed from here on: nothing of it is a command
        click.get_current_context().call_on_close(quieted.close)
        quieted.enter_context(commands_stopped(click.echo))
    loaded, lessons = open_course(course, lesson_names)
    assignment, loaded, lessons = with_assignment(assignment_file, out, loaded, lessons if lesson_names else [])
    lessons = lessons or list(loaded.lessons.values())
    require_solutions(lessons)
    roster = None if roster_file is None else read_roster(roster_file)
    given_roster = None if roster is None or roster_file is None else (roster_file, roster)
    with_times = partial(set_times, files=times_files, zone=times_zone, assignment=assignment, roster=given_roster)
    inbox = None
    if follow:
        folder = followed(submissions, cluster, formats, bool(lesson_names) or assignment is not None)
        inbox = FollowedFolder(folder, settle, out, lessons, loaded, roster, intake_file, key, formats, with_times)
        found = inbox.found
        click.echo("" if quiet else f"Following {printable(str(folder))}. Ctrl-C ends it.\n", err=True, nl=False)
    else:
        found = find(submissions, lessons, list(loaded.lessons.values()), roster)
        with_times(found, quiet=quiet)
        intake_lines = apply_intake(found, out, intake_file, loaded)
        for remark in found.remarks:
            click.echo(f"grade: {'roster: ' if roster else ''}{printable(remark)}", err=True)
    decisions = [] if extensions_file is None else extensions_from(extensions_file, assignment, out, found, roster)
    left_out: list[str] = []
    if not lesson_names and assignment is None:
        counted = found.contained(lessons)
        left_out = [lesson.name for lesson in lessons if lesson not in counted]
        lessons = counted
    check_lessons(lessons)
    limits = limits_from(timeout, chosen_limits)
    isolation = None
    if cluster is None:
        isolation = checked_isolation(require)
    elif importlib.util.find_spec("distributed") is None:
        fail("--cluster needs Dask, which is not installed: pip install 'backprop-ninja[cluster]'.")
    unpacked = found.folder if inbox is None else inbox.unpacked
    settings = Settings(
        course=str(loaded.root.resolve()),
        lessons=[lesson.name for lesson in lessons],
        seed=secrets.randbits(32) if seed is None else seed,
        out=str(out),
        program=early_nursery.GRADER_PROGRAM,
        seed_given=seed is not None,
        limits=limits.to_dict(),
        require=require,
        hide=existing([out, unpacked, key_path and key_path.resolve().parent, *submissions]),
        left_out=left_out,
        isolation=None if isolation is None else asdict(isolation),
        cache=not no_cache,
        course_settings={} if assignment is None else dict(assignment.settings),
    )
    console = console_for(stderr=not on_github)
    with RunView(console, quiet) as view:
        processes = jobs or os.cpu_count() or 1
        identity = RunIdentity.of(loaded, settings, same_course, assignment)
        outcome = grade_run(
            found,
            lessons,
            settings,
            processes,
            view,
            Reporter([*loaded.lessons.values()]),
            fresh=fresh,
            cluster=cluster,
            attendance=found.attendance,
            nursery=nursery,
            identity=identity,
            only_these=only_these,
            other_names=found.other_names,
            decisions=decisions,
            inbox=inbox,
            times=found.times,
        )
    write_other_gradebooks(out, {result.student for result in outcome.results})
    open_questions = store_intake(found, out, intake_lines) if inbox is None else inbox.store_intake()
    count = len(found if inbox is None else inbox.found)
    if not quiet:
        click.echo("".join(f"grade: {printable(sentence)}\n" for sentence in open_questions), err=True, nl=False)
        print_summary(console, outcome, count, out, left_out)
    elif outcome.stopped:
        click.echo(f"grade: stopped: {len(outcome.results)} of {count} were graded and are on disk.", err=True)
    for sentence in what_failed(outcome.reasons, count):
        click.echo(f"grade: {sentence}", err=True)
    sign_or_warn(out, key, {result.student for result in outcome.results})
    write_formats(out, (result.student for result in outcome.results), formats)
    if "classroom50" in formats and not outcome.stopped:
        report_to_classroom50(out, outcome.results, os.environ, Path.cwd())
    if on_github:
        quieted.close()
        places = {each.student: each.path for each in found.arrivals}
        paths = {who: innermost(path, lessons) if path.is_dir() else path for who, path in places.items()}
        report_to_github(out, outcome.results, paths, os.environ, click.echo, fail_under)
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
