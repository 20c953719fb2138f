"""Who decides: the name under which the gradebook stores a decision."""

from __future__ import annotations

import getpass
import os
import subprocess

import click

VARIABLE = "GRADE_AUTHOR"

author_option = click.option(
    "--author",
    default=None,
    help=f"Who decides.  [default: ${VARIABLE}, Git's user.name and user.email, the login name]",
)


def author_name(given: str | None) -> str:
    """The name given, or the first of the places where people leave theirs."""
    return given or os.environ.get(VARIABLE) or git_author() or login_name()


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
