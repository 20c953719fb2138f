"""The commands for authors of a course: `grade verify`, `grade stubs`, `grade figures`, `grade new-lesson`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from grader.authoring.figures.graph import figures_of
from grader.authoring.lesson_sources import published_stub
from grader.authoring.scaffold import write_lesson
from grader.authoring.verify import verify_course
from grader.commands.checks import find_course, open_course
from grader.commands.command_line import fail
from grader.commands.console import console_for
from grader.lesson.lesson import Lesson
from grader.results.wording import count_text


def verify(lessons: Sequence[str], questions: bool, jobs: int | None, course: Path | None) -> None:
    """Print what verification finds, lesson by lesson, and end with 1 where something is wrong."""
    console, wrong = console_for(), 0
    loaded, chosen = open_course(course, lessons)
    names = [lesson.name for lesson in chosen]
    for name, report in verify_course(loaded.root, names, jobs or os.cpu_count() or 1, questions):
        wrong += len(report.problems)
        lines = [f"{name}: {report.summary}"]
        lines += [f"  ✗ {problem}" for problem in report.problems]
        lines += [f"  ? {sentence}" for sentence in report.recommendations]
        console.print("\n".join(lines), soft_wrap=True)
    console.print("All as it should be." if not wrong else f"{count_text(wrong, 'error')}: the lines with ✗ above.")
    raise SystemExit(1 if wrong else 0)


def stubs(lessons: Sequence[str], check: bool, bare: bool | None, course: Path | None) -> None:
    """Write the stubs that differ, or with `check` end with 1 where there are any."""

    def files(lesson: Lesson) -> dict[Path, str]:
        return dict.fromkeys((lesson.exercise / "backward.py", lesson.pristine), published_stub(lesson, bare))

    stale = update(course, lessons, files, check)
    if check and stale:
        fail(f"{', '.join(map(str, stale))}: not what the solution gives. Run `grade stubs` and commit the result.", 1)
    click.echo("Every stub is what its solution gives." if not stale else f"{len(stale)} written.")


def figures(lessons: Sequence[str], check: bool, course: Path | None) -> None:
    """Write the figures that differ, or with `check` end with 1 where there are any."""

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


def new_lesson(name: str, title: str | None, functions: bool, course: Path | None) -> None:
    """Write the files of a new lesson, and print their names and what to do next."""
    words = name.partition("_")[2].replace("_", " ").capitalize()
    try:
        files = write_lesson(find_course(course), name, title or words, "functions" if functions else "steps")
    except OSError as error:
        fail(f"{error.filename or course} cannot be written: {error.strerror}.")
    for path in files:
        click.echo(f"wrote {path}")
    other = "" if course is None else f" --course {shlex.quote(str(course))}"
    click.echo(f"Fill them in as docs/authoring.md says, then: grade stubs{other} && grade verify {name}{other}")
