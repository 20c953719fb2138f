"""The `grade` command. Every error is a sentence on standard error; exit codes are part of the contract."""

from __future__ import annotations

import os
import secrets
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from grader.sandbox.limits import Limits
from grader.sandbox.probe import LEVELS, at_least, probe

LIMIT_NAMES = tuple(Limits().to_dict())
GRADED, BELOW, UNUSABLE, FAULT, STOPPED = 0, 1, 2, 3, 130

EPILOG = """\b
Examples:
  grade run submissions/                     a folder with one submission for each student
  grade run ada/ --lesson 03 -o out          one student, one lesson, results in out/
  grade run . --lesson 3 --fail-under 80     for CI: exit status 1 below 80 percent
  grade verify                               proves the course: solutions 100 %, stubs 0 %, mistakes named

\b
Exit status of `grade run`: 0 all graded, 1 a score is under --fail-under, 2 the command line
or the input is unusable, 3 something could not be graded for a reason of ours.

\b
Shell completion: eval "$(_GRADE_COMPLETE=bash_source grade)"   (or zsh_source, fish_source)
"""


def fail(message: str, status: int = UNUSABLE) -> NoReturn:
    click.echo(f"grade: {message}", err=True)
    raise SystemExit(status)


def find_course(given: Path | None) -> Path:
    """The course's folder: as given, or the nearest one upwards that has exercises/, or the one beside this package."""
    if given is not None:
        return given
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).resolve().parent.parent):
        if (folder / "exercises").is_dir() and any((folder / "exercises").glob("*/lesson.toml")):
            return folder
    fail("no course found: run this inside a folder that has exercises/ and solutions/, or name one with --course.")


course_option = click.option(
    "--course",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with exercises/ and solutions/.",
)


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="backprop-ninja")
def main() -> None:
    """Grades backpropagation written by hand: every gradient against autograd's, every mistake by its name."""


RUN_EPILOG = """\b
Examples:
  grade run submissions/                       a folder with one submission for each student
  grade run ada.zip bo/ --lesson 03 -o out     two submissions, one lesson, results in out/
  grade run backward.py --lesson 4             a single file
  grade run . --lesson 3 --fail-under 80       for CI: exit status 1 below 80 percent
  grade run submissions/ --seed 7 --jobs 2     the same hidden problems again, two processes
"""

VERIFY_EPILOG = """\b
Examples:
  grade verify                     every lesson, through workers and hidden suites
  grade verify 03 --seeds 1000     the verdict alone: nothing right rejected, nothing wrong accepted
"""


@main.command(epilog=RUN_EPILOG)
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
    "--lesson", "wanted", multiple=True, metavar="L", help="Only this lesson (number, name or both); may be repeated."
)
@click.option("--jobs", type=click.IntRange(1), default=None, help="Grader processes.  [default: one a core]")
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
@course_option
def run(
    submissions: tuple[Path, ...],
    out: Path,
    wanted: tuple[str, ...],
    jobs: int | None,
    seed: int | None,
    timeout: float,
    require: str,
    chosen_limits: tuple[str, ...],
    fail_under: float | None,
    course: Path | None,
) -> None:
    """Grades SUBMISSIONS: folders, archives, single files, or a folder with one submission for each student.

    A submission is a folder (or a .zip, .tar.gz of one) that holds NN_name/backward.py for one or more lessons, or a
    .py file with --lesson.
    """
    from grader.lesson import Course, LessonError
    from grader.run import OutputError, grade_run
    from grader.server import Settings
    from grader.submission import SubmissionError, find

    try:
        loaded = Course(find_course(course))
        lessons = list(dict.fromkeys(loaded.find(name) for name in wanted)) or list(loaded.lessons.values())
        for lesson in lessons:
            if not lesson.solution.is_dir():
                fail(f"{lesson.solution} is missing: grading needs the course's solutions/ with the hidden suites.")
        found = find(submissions, lessons, list(loaded.lessons.values()))
    except (LessonError, SubmissionError) as error:
        fail(str(error))
    limits = limits_from(timeout, chosen_limits)
    isolation = probe()
    if not at_least(isolation.level, require):
        fail(
            f"this machine isolates student code at level {isolation.level!r} only, and {require!r} is required. "
            f"{' '.join(isolation.missing)} Grade on a machine that offers more (see docs/isolation.md), or accept "
            f"less with --require {isolation.level} if you trust the submissions."
        )
    if isolation.level in ("weak", "none"):
        click.echo(f"grade: warning: isolation is {isolation.level!r}. {' '.join(isolation.missing)}", err=True)
    settings = Settings(
        course=str(loaded.root.resolve()),
        lessons=[lesson.name for lesson in lessons],
        seed=secrets.randbits(32) if seed is None else seed,
        out=str(out),
        limits=limits.to_dict(),
        require=require,
        hide=[str(folder.resolve()) for folder in [out, *submissions] if folder.is_dir()],
    )
    console = Console(stderr=True)
    live = ProgressLine(console, len(found))
    try:
        with live:
            outcome = grade_run(found, lessons, settings, jobs or os.cpu_count() or 1, live.result)
    except OutputError as error:
        fail(str(error))
    summary(console, outcome, len(found), out)
    if outcome.stopped:
        raise SystemExit(STOPPED)
    if outcome.faults:
        raise SystemExit(FAULT)
    if fail_under is not None and (below := outcome.below(fail_under)):
        console.print(
            f"Under {fail_under:g} %: {', '.join(below[:10])}{' ...' if len(below) > 10 else ''}", markup=False
        )
        raise SystemExit(BELOW)


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


def percent(results: dict[str, Any]) -> float:
    return 100 * results["score"] / results["max_score"] if results["max_score"] else 0.0


def progress_bar(console: Console) -> Progress:
    """A bar with counts, time and ETA; nothing where the console is no terminal."""
    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


class ProgressLine:
    """A bar with ETA on a terminal, a line a submission elsewhere."""

    def __init__(self, console: Console, count: int) -> None:
        self._console, self._count, self._done = console, count, 0
        self._progress = progress_bar(console)
        self._task = self._progress.add_task("starting", total=count)

    def __enter__(self) -> ProgressLine:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def result(self, results: dict[str, Any]) -> None:
        self._done += 1
        line = f"{results['student']}: {results['score']:g} of {results['max_score']:g} ({percent(results):.0f} %)"
        if results["status"] != "graded":
            line += f", {results['status']}: {results['message']}"
        self._progress.update(self._task, advance=1, description=printable(results["student"])[:40])
        if not self._console.is_terminal:
            self._console.print(
                f"[{self._done}/{self._count}] {printable(line)}", markup=False, highlight=False, soft_wrap=True
            )


def printable(text: str) -> str:
    """A student's text made harmless for a terminal: control characters shown, not obeyed."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def summary(console: Console, outcome: Any, count: int, out: Path) -> None:
    graded = len(outcome.results)
    if outcome.stopped:
        console.print(f"Stopped: {graded} of {count} were graded and are on disk.", markup=False)
    else:
        full = sum(percent(results) >= 100 for results in outcome.results)
        console.print(
            f"{graded} graded, {full} with full marks."
            + (f" {outcome.faults} could not be graded." if outcome.faults else ""),
            markup=False,
        )
    if outcome.results:
        click.echo(f"The class:    {out / 'index.html'}")
        click.echo(f"The scores:   {out / 'grades.csv'}")
        click.echo(
            f"Each student: {printable(str(out / outcome.results[0]['student'] / 'report.html'))}"
            + (" and so on" if graded > 1 else "")
        )


@main.command(epilog=VERIFY_EPILOG)
@click.argument("lessons", nargs=-1)
@click.option(
    "--seeds",
    type=click.IntRange(1),
    default=None,
    help="Instead: solutions, variants and mistakes judged on this many seeds.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The first seed.")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes, with --seeds.  [default: one a core]")
@course_option
def verify(lessons: tuple[str, ...], seeds: int | None, seed: int, jobs: int | None, course: Path | None) -> None:
    """Proves a course: solutions 100 %, stubs 0 %, variants right, every known mistake caught and named."""
    from grader.lesson import Course, LessonError
    from grader.verify import verify_lesson, verify_seeds

    console = Console()
    wrong = 0
    try:
        loaded = Course(find_course(course))
        chosen = [loaded.find(name) for name in lessons] or list(loaded.lessons.values())
        for lesson in chosen:
            if seeds is None:
                report = verify_lesson(lesson, seed)
            else:
                with progress_bar(Console(stderr=True)) as bar:
                    advance = partial(bar.advance, bar.add_task(lesson.name, total=seeds))
                    report = verify_seeds(lesson, seed, seeds, jobs or os.cpu_count() or 1, advance)
            wrong += len(report.problems)
            console.print(f"{lesson.name}: {report.summary}", markup=False, highlight=False, soft_wrap=True)
            for problem in report.problems:
                console.print(f"  ✗ {problem}", markup=False, highlight=False, soft_wrap=True)
    except LessonError as error:
        fail(str(error))
    console.print("All as it should be." if not wrong else f"{wrong} things are not as they should be.", markup=False)
    raise SystemExit(0 if not wrong else 1)


@main.command()
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 when a stub is not what the solution gives.")
@course_option
def stubs(check: bool, course: Path | None) -> None:
    """Writes exercises/*/backward.py from solutions/: what stands between the markers is left out."""
    from grader.lesson import Course, LessonError
    from grader.stubs import stub_of

    stale = []
    try:
        for lesson in Course(find_course(course)).lessons.values():
            path, text = lesson.exercise / "backward.py", stub_of(lesson)
            if path.is_file() and path.read_text(encoding="utf-8") == text:
                continue
            stale.append(path)
            if not check:
                path.write_text(text, encoding="utf-8")
                click.echo(f"wrote {path}")
    except (LessonError, OSError) as error:
        fail(str(error))
    if check and stale:
        fail(f"{', '.join(map(str, stale))}: not what the solution gives. Run `grade stubs` and commit the result.", 1)
    click.echo("Every stub is what its solution gives." if not stale else f"{len(stale)} written.")


if __name__ == "__main__":
    main()
