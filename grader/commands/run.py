"""`grade run`: grades submissions, then publishes what came of them. Its exit codes are part of the contract."""

from __future__ import annotations

import importlib.util
import os
import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
from grader.commands.live import RunView
from grader.commands.run_summary import print_summary, what_failed
from grader.publish.export.github import commands_stopped
from grader.publish.export.outputs import FORMATS
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import LEVELS, at_least, probe

if TYPE_CHECKING:
    from grader.lesson.lesson import Lesson

MOST_FAULTS = 20
LIMIT_NAMES = tuple(Limits().to_dict())
GRADER_PROGRAM = "grader.publish.grader_process"


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
  grade run submissions/                       again: grades only what is new or changed
"""


@click.command(epilog=EPILOG)
@click.argument("submissions", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("grades"),
    show_default=True,
    help="Where results go.",
)
@click.option(
    "--lesson",
    "lesson_names",
    multiple=True,
    metavar="L",
    help="Count this lesson (number, name or both) and no other; may be repeated.  [default: those that any "
    "submission contains]",
)
@click.option(
    "--roster",
    "roster_file",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    metavar="CSV",
    help="The class's list (id, name, email): names come from it, and who submitted nothing is listed.",
)
@click.option("--jobs", type=click.IntRange(1), default=None, help="Grader processes.  [default: one a core]")
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
    help="Also for this program; may be repeated. gradescope and junit are files beside the reports, github speaks to "
    "the job that runs this (docs/ci.md).",
)
@click.option("--fresh", is_flag=True, help="Grade all, not only what is new or changed since the last run on OUT.")
@click.option(
    "--only-these", is_flag=True, help="index.html and grades.csv show this run alone.  [default: everybody in OUT]"
)
@click.option("--same-course", is_flag=True, help="OUT's results are this course's, although the course has moved.")
@click.option("--quiet", is_flag=True, help="Print only what goes wrong.")
@course_option
def run(
    submissions: tuple[Path, ...],
    out: Path,
    lesson_names: tuple[str, ...],
    roster_file: Path | None,
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
    quiet: bool,
    course: Path | None,
) -> None:
    """Grades SUBMISSIONS: folders, archives, single files, or a folder with one submission for each student.

    A submission is a folder (or a .zip, .tar.gz of one) that holds NN_name/backward.py for one or more lessons, the
    lecture's notebook (.ipynb, or a script like it), or a .py or .ipynb file with --lesson.
    """
    from grader.gradebook.grading.settings import Settings
    from grader.sandbox.workers.forked import Nursery

    nursery = None if cluster else Nursery([GRADER_PROGRAM])  # it loads torch while the submissions are read
    if nursery is not None:
        click.get_current_context().call_on_close(lambda: nursery.close(at_once=True))
    from grader.gradebook.grading.run import grade_run
    from grader.gradebook.grading.run_identity import RunIdentity
    from grader.intake.submissions.finding import find
    from grader.intake.submissions.places import innermost
    from grader.intake.submissions.roster import read_roster
    from grader.publish.export.outputs import report_to_github, write_formats
    from grader.publish.report.pages import Reporter

    on_github, quieted = "github" in formats, ExitStack()
    if on_github:  # students' names and messages are printed from here on: nothing of it is a command
        click.get_current_context().call_on_close(quieted.close)
        quieted.enter_context(commands_stopped(click.echo))
    loaded, lessons = open_course(course, lesson_names)
    require_solutions(lessons)
    roster = None if roster_file is None else read_roster(roster_file)
    found = find(submissions, lessons, list(loaded.lessons.values()), roster)
    for remark in found.remarks:
        click.echo(f"grade: {'roster: ' if roster else ''}{printable(remark)}", err=True)
    left_out: list[str] = []
    if not lesson_names:
        counted = found.contained(lessons)
        left_out = [lesson.name for lesson in lessons if lesson not in counted]
        lessons = counted
    check_lessons(lessons)
    limits = limits_from(timeout, chosen_limits)
    if cluster is None:
        check_isolation(require)
    elif importlib.util.find_spec("distributed") is None:
        fail("--cluster needs Dask, which is not installed: pip install 'backprop-ninja[cluster]'.")
    settings = Settings(
        course=str(loaded.root.resolve()),
        lessons=[lesson.name for lesson in lessons],
        seed=secrets.randbits(32) if seed is None else seed,
        out=str(out),
        seed_given=seed is not None,
        limits=limits.to_dict(),
        require=require,
        hide=[str(folder.resolve()) for folder in [out, found.folder, *submissions] if folder and folder.is_dir()],
        left_out=left_out,
        program=GRADER_PROGRAM,
    )
    console = console_for(stderr=not on_github)
    with RunView(console, quiet) as view:
        processes = jobs or os.cpu_count() or 1
        identity = RunIdentity.of(loaded, settings, same_course)
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
        )
    if not quiet:
        print_summary(console, outcome, len(found), out, left_out)
    elif outcome.stopped:
        click.echo(f"grade: stopped: {len(outcome.results)} of {len(found)} were graded and are on disk.", err=True)
    for sentence in what_failed(outcome.reasons, len(found)):
        click.echo(f"grade: {sentence}", err=True)
    write_formats(out, (result.student for result in outcome.results), formats)
    if on_github:
        quieted.close()
        places = {each.student: each.path for each in found.arrivals}
        paths = {who: innermost(path, lessons) if path.is_dir() else path for who, path in places.items()}
        report_to_github(out, outcome.results, paths, os.environ, click.echo)
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


def check_lessons(lessons: Sequence[Lesson]) -> None:
    """Refuse to grade with a lesson that is broken, before any submission would fail because of it."""
    from grader.lesson.validation import lesson_faults

    faults = [f"{lesson.name}: {sentence}" for lesson in lessons for sentence in lesson_faults(lesson)]
    if faults:
        numbers = " ".join(dict.fromkeys(fault.partition("_")[0] for fault in faults))
        shown = "\n".join(faults[:MOST_FAULTS])
        fail(f"the course is broken, and nothing was graded. Fix it, then run `grade verify {numbers}`.\n{shown}")


def check_isolation(require: str) -> None:
    """Refuse to grade on this machine with less isolation than required. Workers of a cluster check their own."""
    isolation = probe()
    if not at_least(isolation.level, require):
        fail(
            f"this machine isolates student code at level {isolation.level!r} only, and {require!r} is required. "
            f"{' '.join(isolation.missing)} Grade on a machine that offers more (see docs/isolation.md), or accept "
            f"less with --require {isolation.level} if you trust the submissions."
        )
    if isolation.level in ("weak", "none"):
        click.echo(f"grade: warning: isolation is {isolation.level!r}. {' '.join(isolation.missing)}", err=True)


def limits_from(timeout: float, chosen: tuple[str, ...]) -> Limits:
    """Limits with `timeout` for the file and for each step, and what --limit names. Bad ones end with a sentence."""
    values: dict[str, Any] = {"import_seconds": timeout, "step_seconds": timeout, "total_seconds": 6 * timeout}
    try:
        for entry in chosen:
            name, _, number = entry.partition("=")
            values[name] = float(number) if "." in number else int(number)
        return Limits.from_dict(values)
    except (ValueError, TypeError) as error:
        fail(f"--limit: {error}. Give NAME=NUMBER with one of {', '.join(LIMIT_NAMES)}.")
