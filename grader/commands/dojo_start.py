"""`dojo start`: the folder in which a student works."""

from __future__ import annotations

import os
from pathlib import Path

import click

from grader.commands.lesson_param import course_option
from grader.lesson.paths import WITH_EXERCISES, has_lessons, nearest_course

EPILOG = """\b
Examples:
  dojo start               makes the folder backprop-ninja with all lessons
  dojo start my-work       another name
  dojo start hard --bare   harder: you choose what each gradient is computed from

\b
Exit status: 0 the folder is there, 2 it cannot be made (the message says why).
"""


@click.command("start", epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path), default="backprop-ninja", metavar="[FOLDER]", required=False)
@click.option("--bare", is_flag=True, help="Empty parentheses: you write what each gradient is computed from.")
@course_option
def start(folder: Path, bare: bool, course: Path | None) -> None:
    """Makes a folder to work in, with every lesson and an empty backward.py in each.

    It is called backprop-ninja unless you name it. The lessons are those of the course around you, or else those that
    were installed with this command. The grader judges both kinds of file in the same way.
    """
    from grader.dojo.start import make_working_folder
    from grader.errors import UserError
    from grader.lesson.lesson import Course

    source = nearest_course(course) or (WITH_EXERCISES if has_lessons(WITH_EXERCISES) else None)
    if source is None:
        raise UserError("no lessons were installed with `dojo`. Name a folder that has exercises/ with --course.")
    loaded = Course(source, secrets=False)
    make_working_folder(loaded, folder, bare)
    click.echo(f"{folder}{os.sep} has {len(loaded.lessons)} lessons. Next:\n\n    cd {folder}\n    dojo")
