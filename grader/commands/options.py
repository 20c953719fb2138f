"""Parameters that several commands have, each with its option or argument."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from grader.commands.command_line import EXISTING_FOLDER, FILE, FOLDER, argument, option
from grader.sandbox.isolation.probe import LEVELS

Out = Annotated[
    Path,
    option("-o --out", "The folder that `grade run -o` wrote.", FOLDER, default=Path("grades"), show_default=True),
]
CourseFolder = Annotated[
    Path | None,
    option("--course", "Folder with exercises/ and solutions/; its code runs with your rights.", EXISTING_FOLDER, True),
]
ExercisesFolder = Annotated[
    Path | None,
    option("--course", "Folder with exercises/, whose lessons run with your rights.", EXISTING_FOLDER, True),
]
LessonNames = Annotated[
    tuple[str, ...], option("--lesson", "Only this lesson; may be repeated.", multiple=True, metavar="L")
]
LessonWords = Annotated[tuple[str, ...], argument(nargs=-1, metavar="[LESSON]...")]
FileAndLesson = Annotated[tuple[str, ...], argument(nargs=-1, metavar="[FILE] [LESSON]")]
AssignmentPath = Annotated[
    Path | None, option("--assignment", "Rows, weights, due date (docs/assignments.md).", FILE, metavar="FILE")
]
RosterFile = Annotated[Path | None, option("--roster", "The class's list: id, name, email.", FILE, metavar="CSV")]
Require = Annotated[
    str,
    option(
        "--require",
        f"Least isolation: {', '.join(LEVELS)}; default: fair.",
        click.Choice(LEVELS),
        True,
        default="fair",
        metavar="LEVEL",
    ),
]
Timeout = Annotated[
    float,
    option("--timeout", "Seconds per file, and per step; default: 10.", click.FloatRange(0.1), True, default=10.0),
]
FailUnder = Annotated[
    float | None,
    option("--fail-under", "Exit with 1 if a score is below.", click.FloatRange(0, 100), True, metavar="PERCENT"),
]
StudentWord = Annotated[str | None, argument(required=False)]
PartOfWork = Annotated[str | None, argument(required=False, metavar="[ROW]")]
Because = Annotated[str | None, option("--because", "The reason, which the student may read.", metavar="TEXT")]
DecisionsFile = Annotated[Path | None, option("--from", "Many at once: a line per decision.", FILE, metavar="CSV")]
