"""The options --times and --times-zone: when students submitted, where the download does not say it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from grader.commands.console import print_remarks
from grader.commands.options import FILE, Command
from grader.errors import UserError

if TYPE_CHECKING:
    from grader.gradebook.assignment.config import Assignment
    from grader.intake.submissions.finding import FoundSubmissions
    from grader.intake.submissions.roster import Roster
    from grader.intake.submissions.submission_times import ReadTimes

MOST_BAD, MOST_UNKNOWN = 5, 20


class ZoneParam(click.ParamType):  # type: ignore[type-arg]
    """A time zone such as Europe/Zurich."""

    name = "zone"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> ZoneInfo:
        try:
            return ZoneInfo(str(value))
        except (KeyError, ValueError, OSError):
            self.fail(f"{value!r} is no time zone; expected a name such as Europe/Zurich or UTC.", param, ctx)


def times_options(command: Command) -> Command:
    """The two options."""
    zone = click.option(
        "--times-zone",
        type=ZoneParam(),
        metavar="ZONE",
        help="The time zone of times without one, such as Europe/Zurich.  [default: the assignment's `timezone`]",
    )
    times = click.option(
        "--times",
        "times_files",
        multiple=True,
        type=FILE,
        metavar="FILE",
        help="When students submitted, where the download does not say it: CSV (id, email or name; submitted), "
        "Moodle's grading worksheet, or JSON of Canvas's submissions API; may be repeated.",
    )
    return times(zone(command))


def set_times(
    found: FoundSubmissions,
    files: Sequence[Path],
    zone: tzinfo | None,
    assignment: Assignment | None,
    roster: tuple[Path, Roster] | None,
    quiet: bool,
) -> None:
    """Give the submissions their times, from the roster and then from `files`, and print what is not clear.

    Raises UserError.
    """
    from grader.intake.submissions.submission_times import NoZone, read_times, times_in_roster

    due = None if assignment is None else assignment.due
    if zone is None and due is not None and isinstance(due.tzinfo, ZoneInfo):
        zone = due.tzinfo  # an offset is no zone: it changes with the season
    if roster is not None:
        try:
            read = times_in_roster(roster[1], roster[0].name, zone)
            say([*read.bad, *found.set_times(read.times, replaces=False)])
            summarise(roster[0], read, quiet)
        except NoZone as error:
            say([str(error)] if due is not None else [])
    for file in files:
        read = read_times(file, zone)
        if read.bad:
            more = f" {len(read.bad) - MOST_BAD} more lines cannot be read." if len(read.bad) > MOST_BAD else ""
            raise UserError(" ".join(read.bad[:MOST_BAD]) + more)
        say(found.set_times(read.times))
        summarise(file, read, quiet)


def say(sentences: Sequence[str]) -> None:
    print_remarks(sentences[:MOST_UNKNOWN])
    if len(sentences) > MOST_UNKNOWN:
        click.echo(f"grade: {len(sentences) - MOST_UNKNOWN} more lines are like these.", err=True)


def summarise(file: Path, read: ReadTimes, quiet: bool) -> None:
    if read.times and not quiet:
        zone = f", in the time zone {read.zone}" if read.zone is not None else ""
        times = "1 submission time" if len(read.times) == 1 else f"{len(read.times)} submission times"
        click.echo(f"grade: {file.name}: {times}{zone}.", err=True)
