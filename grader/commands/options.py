"""Options that several commands have, and completion of the names that a gradebook knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.command_line import EXISTING_FOLDER, FILE, FOLDER, argument, option
from grader.errors import UserError
from grader.sandbox.isolation.probe import LEVELS

if TYPE_CHECKING:
    from grader.gradebook.database import Gradebook


def completions(ctx: click.Context, incomplete: str, names: Callable[[Gradebook], list[str]]) -> list[str]:
    """Those of the gradebook's names that begin with `incomplete`; none where there is no gradebook."""
    from grader.commands.opened_gradebook import read_gradebook

    try:
        with read_gradebook(ctx.params.get("out") or Path("grades")) as gradebook:
            return [name for name in names(gradebook) if name.lower().startswith(incomplete.lower())]
    except UserError:
        return []


def complete_students(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    return completions(ctx, incomplete, lambda gradebook: gradebook.students())


def complete_rows(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The total, and the lessons and rows of the student's results."""
    from grader.gradebook.lookup import find_student, people_index, row_names, rows_by_lesson

    def names(gradebook: Gradebook) -> list[str]:
        people = people_index(gradebook.people())
        student = find_student(ctx.params.get("student") or "", gradebook.students(), people)
        return ["total", *row_names(rows_by_lesson(gradebook.current_of(student)))]

    return completions(ctx, incomplete, names)


def code_page(name: str) -> str:
    """The name of a code page, such as cp932."""
    try:
        name.encode("ascii").decode(name)
    except (LookupError, ValueError):
        raise click.BadParameter(f"{name!r} is no code page; expected a name such as cp932, gbk or cp866.") from None
    return name


POSITIVE, DURATION, PERCENTAGE = click.IntRange(1), click.FloatRange(0.1), click.FloatRange(0, 100)


def out_option(meaning: str) -> click.Option:
    return option("-o --out", meaning, FOLDER, default=Path("grades"), show_default=True)


def roster_option(meaning: str, **more: bool) -> click.Option:
    return option("--roster roster_file", meaning, FILE, metavar="CSV", **more)


def lesson_option(meaning: str) -> click.Option:
    return option("--lesson lesson_names", meaning, multiple=True, metavar="L")


COURSE_OPTION = option(
    "--course", "Folder with exercises/ and solutions/; its code runs with your rights.", EXISTING_FOLDER
)
OUT_OPTION = out_option("The folder that `grade run -o` wrote.")
LESSON_OPTION = lesson_option("Only this lesson; may be repeated.")
LESSON_WORDS = argument("lessons", nargs=-1)
ASSIGNMENT_OPTION = option(
    "--assignment assignment_file", "Rows, weights, due date (docs/assignments.md).", FILE, metavar="FILE"
)
JOBS_OPTION = option("--jobs", "Grader processes; default: one per core.", POSITIVE)
REQUIRE_OPTION = option(
    "--require",
    f"Least isolation: {', '.join(LEVELS)}; default: fair.",
    click.Choice(LEVELS),
    default="fair",
    metavar="LEVEL",
)
STUDENT_WORD = argument("student", required=False, shell_complete=complete_students)
ROW_WORD = argument("row", required=False, shell_complete=complete_rows)
BECAUSE_OPTION = option("--because text", "The reason, which the student may read.", metavar="TEXT")
