"""The commands for authors of a course: `grade verify`, `grade stubs`, `grade figures`, `grade new-lesson`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.console import console_for, course_option, fail, find_course, open_course
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.lesson.lesson import Lesson

GRADE_VERIFY_EPILOG = """\b
Examples:
  grade verify                     every lesson, through workers and hidden suites
  grade verify 03 07               two lessons
  grade verify --questions         the questions alone, drawn for 20 students
"""


@click.command(epilog=GRADE_VERIFY_EPILOG)
@click.argument("lessons", nargs=-1)
@click.option("--questions", is_flag=True, help="Prove the questions alone, and that no public file gives a key away.")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes.  [default: one per core]")
@course_option
def verify(
    lessons: tuple[str, ...],
    questions: bool,
    jobs: int | None,
    course: Path | None,
) -> None:
    """Checks that a course grades correctly.

    Every solution must get 100 %, and every stub 0 %. All variants must be right, and every known mistake must be found
    and named.
    """
    from grader.authoring.verify import verify_course

    console, wrong = console_for(), 0
    loaded, chosen = open_course(course, lessons)
    names = [lesson.name for lesson in chosen]
    for name, report in verify_course(loaded.root, names, jobs or os.cpu_count() or 1, questions):
        wrong += len(report.problems)
        lines = [f"{name}: {report.summary}"]
        lines += [f"  ✗ {problem}" for problem in report.problems]
        lines += [f"  ? {sentence}" for sentence in report.recommendations]
        console.print("\n".join(lines), soft_wrap=True)
    console.print(
        "All as it should be." if not wrong else f"{count_text(wrong, 'error')}: the lines with ✗ above.", markup=False
    )
    raise SystemExit(0 if not wrong else 1)


STUBS_EPILOG = """\b
Examples:
  grade stubs              every lesson; a bare stub stays bare
  grade stubs --bare 03    lesson 03 with bare signatures: students choose what each gradient is computed from
  grade stubs --named 03   lesson 03 with its parameters again
  grade stubs --check      in CI
"""


@click.command(epilog=STUBS_EPILOG)
@click.argument("lessons", nargs=-1)
@click.option("--check", is_flag=True, help="Write nothing. Exit with 1 if a stub is out of date.")
@click.option(
    "--bare/--named",
    default=None,
    help="Gradients with empty parentheses (harder), or with the names of their parameters.  "
    "[default: as each stub is now, a new one is named]",
)
@course_option
def stubs(lessons: tuple[str, ...], check: bool, bare: bool | None, course: Path | None) -> None:
    """Writes the stubs of the lessons from solutions/.

    A stub, exercises/NN_name/backward.py, is the solution without the answers between the markers. LESSONS are all
    lessons if you name none. A second copy, .stub, is what `dojo reset` restores. Both kinds of stub are graded by the
    same hidden test suite.
    """
    from grader.authoring.lesson_sources import published_stub

    def files(lesson: Lesson) -> dict[Path, str]:
        return dict.fromkeys((lesson.exercise / "backward.py", lesson.pristine), published_stub(lesson, bare))

    stale = update(course, lessons, files, check)
    if check and stale:
        fail(f"{', '.join(map(str, stale))}: not what the solution gives. Run `grade stubs` and commit the result.", 1)
    click.echo("Every stub is what its solution gives." if not stale else f"{len(stale)} written.")


FIGURES_EPILOG = """\b
Examples:
  grade figures            every lesson
  grade figures 03         lesson 03, after a change to its forward.py or figures.py
  grade figures --check    in CI
"""


@click.command(epilog=FIGURES_EPILOG)
@click.argument("lessons", nargs=-1)
@click.option(
    "--check", is_flag=True, help="Write nothing. Exit with 1 if a figure differs from what would be written."
)
@course_option
def figures(lessons: tuple[str, ...], check: bool, course: Path | None) -> None:
    """Draws the lessons' figures as SVG files in exercises/.

    These are the computational graph and the figures of figures.py. LESSONS are all lessons if you name none. The same
    lesson gives the same file on every machine.
    """
    from grader.authoring.figures.graph import figures_of

    def files(lesson: Lesson) -> dict[Path, str]:
        return {lesson.exercise / name: text for name, text in figures_of(lesson).items()}

    stale = update(course, lessons, files, check)
    if check and stale:
        differ = "is missing or differs" if len(stale) == 1 else "are missing or differ"
        fail(f"{', '.join(map(str, stale))}: {differ} from the lesson. Run `grade figures` and commit the result.", 1)
    click.echo("Every figure is up to date." if not stale else f"{len(stale)} written.")


def update(
    course: Path | None, names: Sequence[str], files: Callable[[Lesson], dict[Path, str]], check: bool
) -> list[Path]:
    """Write those `files` of the named lessons (of all if none is named) that differ; with `check`, write nothing.

    Returns the files that differ. Raises LessonError.
    """
    stale = []
    try:
        for lesson in open_course(course, names)[1]:
            for path, text in files(lesson).items():
                if path.is_file() and path.read_text(encoding="utf-8") == text:
                    continue
                stale.append(path)
                if not check:
                    path.write_text(text, encoding="utf-8", newline="\n")
                    click.echo(f"wrote {path}")
    except OSError as error:
        fail(f"{error.filename or course} cannot be read or written: {error.strerror}.")
    return stale


NEW_EPILOG = """\b
Examples:
  grade new-lesson 20_group_norm --title "Group normalisation"
  grade new-lesson 21_optimizers --functions     functions and classes instead of gradients
"""


@click.command("new-lesson", epilog=NEW_EPILOG)
@click.argument("name")
@click.option("--title", default=None, help="The lesson's title.  [default: from its name]")
@click.option("--functions", is_flag=True, help="For functions and classes that are checked by what they do.")
@course_option
def new_lesson(name: str, title: str | None, functions: bool, course: Path | None) -> None:
    """Writes the two folders of a new lesson.

    exercises/NAME and solutions/NAME contain a small example, which you replace.
    """
    from grader.authoring.scaffold import write_lesson

    words = name.partition("_")[2].replace("_", " ").capitalize()
    try:
        files = write_lesson(find_course(course), name, title or words, "functions" if functions else "steps")
    except OSError as error:
        fail(f"{error.filename or course} cannot be written: {error.strerror}.")
    for path in files:
        click.echo(f"wrote {path}")
    other = "" if course is None else f" --course {shlex.quote(str(course))}"
    click.echo(f"Fill them in as docs/authoring.md says, then: grade stubs{other} && grade verify {name}{other}")
