"""Parameters that several commands have, each with its option or argument."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from grader.commands.command_line import EXISTING_FOLDER, FOLDER, argument, option, seldom
from grader.sandbox.isolation.probe import LEVELS

GRADES = Path("grades")
Out = Annotated[Path, option("-o --out OUT", "What `grade run -o` wrote; default: grades.", FOLDER, default=GRADES)]
CourseFolder = Annotated[
    Path | None, seldom("--course DIR", "Has exercises/ (and solutions/); its code runs as you.", EXISTING_FOLDER)
]
LessonNames = Annotated[tuple[str, ...], option("--lesson L", "Only this lesson; may be repeated.")]
LessonWords = Annotated[tuple[str, ...], argument("[LESSON]...")]
AssignmentPath = Annotated[Path | None, option("--assignment FILE", "Rows, weights, due date (docs/assignments.md).")]
RosterFile = Annotated[Path | None, option("--roster CSV", "The class's list: id, name, email.")]
Require = Annotated[
    str,
    seldom("--require LEVEL", f"Isolation: {', '.join(LEVELS)}; default: fair.", click.Choice(LEVELS), default="fair"),
]


class Seconds(click.FloatRange):
    """A range, which NaN is not in."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = float(super().convert(value, param, ctx))
        return found if found == found else self.fail("expected a number of seconds, such as 10", param, ctx)


Timeout = Annotated[
    float,
    seldom("--timeout SECONDS", "For a file, and for each step; default: 10.", Seconds(0.1, 86_400), default=10.0),
]
FailUnder = Annotated[
    float | None, seldom("--fail-under PERCENT", "Exit with 1 if a score is below.", click.FloatRange(0, 100))
]
StudentName = Annotated[str, argument("STUDENT")]
Because = Annotated[str, option("--because TEXT", "The reason, which the student may read.", required=True)]
