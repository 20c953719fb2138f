"""Options that several commands have, each with what it means there; and the name of the person who decides."""

from __future__ import annotations

import getpass
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from grader.sandbox.isolation.probe import LEVELS

Command = TypeVar("Command", bound=Callable[..., Any])
FILE_PATH, FOLDER_PATH = click.Path(path_type=Path, dir_okay=False), click.Path(path_type=Path, file_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)

graded_argument = click.argument("graded", metavar="OUT", type=EXISTING_FOLDER)


def gradebook_option(meaning: str) -> Callable[[Command], Command]:
    """-o: the folder of the gradebook."""
    return click.option(
        "-o",
        "--out",
        type=FOLDER_PATH,
        default=Path("grades"),
        show_default=True,
        help=meaning,
    )


def roster_option(meaning: str, required: bool = False) -> Callable[[Command], Command]:
    """--roster: the class's list."""
    return click.option(
        "--roster",
        "roster_file",
        type=FILE_PATH,
        required=required,
        metavar="CSV",
        help=meaning,
    )


def lesson_option(meaning: str = "Only this lesson; may be repeated.") -> Callable[[Command], Command]:
    """--lesson, as often as needed."""
    return click.option("--lesson", "lesson_names", multiple=True, metavar="L", help=meaning)


def csv_option(name: str) -> Callable[[Command], Command]:
    """-o: the file that an export writes, OUT/`name` if it is not given."""
    return click.option("-o", "--out", type=FILE_PATH, help=f"[default: OUT/{name}]")


require_option = click.option(
    "--require",
    type=click.Choice(LEVELS),
    default="fair",
    metavar="LEVEL",
    help=f"Least isolation: {', '.join(LEVELS)}; default: fair.",
)
VISIBILITY = ("visible", "after_due_date", "after_published", "hidden")
visibility_option = click.option(
    "--visibility",
    type=click.Choice(VISIBILITY),
    default="visible",
    show_default=True,
    help="When students see the tests.",
)


VARIABLE = "GRADE_AUTHOR"


def author_name() -> str:
    """The first of the places where people leave their name."""
    return os.environ.get(VARIABLE) or git_author() or login_name()


def git_author() -> str:
    """ "Ada Okafor <ada@example.org>"; "" without Git or a name."""
    name, email = git_setting("user.name"), git_setting("user.email")
    return f"{name} <{email}>" if name and email else name or email


def git_setting(key: str) -> str:
    try:
        done = subprocess.run(["git", "config", key], capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name, as in a container
        return f"user {os.getuid()}"
