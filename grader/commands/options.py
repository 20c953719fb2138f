"""Options that several commands have, each with what it means there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
FILE, FOLDER = click.Path(path_type=Path, dir_okay=False), click.Path(path_type=Path, file_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)

graded_argument = click.argument("graded", metavar="OUT", type=EXISTING_FOLDER)


def gradebook_option(meaning: str) -> Callable[[Command], Command]:
    """-o: the folder of the gradebook."""
    return click.option(
        "-o",
        "--out",
        type=FOLDER,
        default=Path("grades"),
        show_default=True,
        help=meaning,
    )


def roster_option(meaning: str, required: bool = False) -> Callable[[Command], Command]:
    """--roster: the class's list."""
    return click.option(
        "--roster",
        "roster_file",
        type=FILE,
        required=required,
        metavar="CSV",
        help=meaning,
    )


def lesson_option(meaning: str = "Only this lesson; may be repeated.") -> Callable[[Command], Command]:
    """--lesson, as often as needed."""
    return click.option("--lesson", "lesson_names", multiple=True, metavar="L", help=meaning)


def csv_option(name: str) -> Callable[[Command], Command]:
    """-o: the file that an export writes, OUT/`name` if it is not given."""
    return click.option("-o", "--out", type=FILE, help=f"[default: OUT/{name}]")
