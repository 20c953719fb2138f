"""`grade run --follow`: the folder that is followed, and what is written next to its results as they come."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import click

from grader.commands.console import fail, printable
from grader.commands.live import what_is_plain
from grader.commands.run_inputs import confirmed_and_given, set_times, store_intake
from grader.errors import UserError

if TYPE_CHECKING:
    from grader.commands.run_context import RunContext
    from grader.gradebook.grading.grader_processes import GraderPool
    from grader.intake.submissions.appearing import FolderState
    from grader.intake.submissions.arrival import Arrival
    from grader.intake.submissions.finding import FoundSubmissions
    from grader.intake.submissions.submission import Submission

SETTLED_AFTER_SECONDS = 1.0


def follow_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--follow and --settle."""
    settle = click.option(
        "--settle",
        type=click.FloatRange(0.1),
        default=None,
        metavar="SECONDS",
        help=f"Complete if unchanged so long; default: {SETTLED_AFTER_SECONDS:g}.",
    )
    follow = click.option(
        "--follow",
        is_flag=True,
        help="Grade what appears, until Ctrl-C (docs/operator.md).",
    )
    return follow(settle(command))


class FollowedFolder:
    """A folder of submissions, found again whenever something in it has changed (follow.Inbox)."""

    def __init__(self, context: RunContext) -> None:
        """Refuses what does not go together with --follow. Raises UserError."""
        from grader.intake.submissions.appearing import Appearing
        from grader.intake.submissions.finding import FoundSubmissions

        folder, settle = folder_to_follow(context), context.settle
        self._unpacked = Path(tempfile.mkdtemp(prefix="followed-"))
        weakref.finalize(self, rmtree, self._unpacked, ignore_errors=True)
        self.appearing = Appearing(folder, SETTLED_AFTER_SECONDS if settle is None else settle)
        self.found = FoundSubmissions(context.lessons, context.course_lessons)
        self._context = context
        self._lines = confirmed_and_given(context.out, context.intake_file, context.loaded)
        self._said: set[str] = set()
        self._waiting: dict[str, tuple[Arrival, Mapping[str, FolderState], FoundSubmissions]] = {}  # by student
        self._considered: dict[str, Mapping[str, FolderState]] = {}  # by student
        self._complete: dict[str, FolderState] | None = None
        set_times(self.find(), context, quiet=True)

    def look(self) -> None:
        """Find what is complete and new or changed, for `arrived`."""
        try:
            self.appearing.look()
        except OSError as error:  # a file server may come back
            self.warn(f"{self.appearing.folder} cannot be read ({error.strerror}): waiting for it.")
            return
        complete = self.appearing.complete()
        if complete == self._complete:
            return
        self._complete, found = complete, self.find()
        for arrival in found.arrivals:
            states = self._states_of(arrival, complete)
            if states is not None and self._considered.get(arrival.student) != states:
                self._considered[arrival.student] = states
                self._waiting[arrival.student] = arrival, states, found

    def _states_of(self, arrival: Arrival, complete: Mapping[str, FolderState]) -> dict[str, FolderState] | None:
        """{entry: state} of the folder's entries that an arrival was found in; None where one is not complete yet.

        An arrival that is nowhere in the folder, because it was unpacked or is the folder itself, needs all entries.
        """
        root = self.appearing.folder
        places = [place for place in (arrival.path, *arrival.sources) if place.is_relative_to(root) and place != root]
        names = {place.relative_to(root).parts[0] for place in places} or self.appearing.names
        return {name: complete[name] for name in names} if names <= complete.keys() else None

    def arrived(self, pool: GraderPool) -> Iterator[Submission]:
        """See follow.Inbox."""
        for student in list(self._waiting):
            if pool.room <= 0:
                return
            if student in pool.students:
                continue
            arrival, states, found = self._waiting.pop(student)
            submission = found.read_arrival(arrival)
            if all(self.appearing.is_unchanged(name, state) for name, state in states.items()):
                yield submission
            else:  # it is being replaced: wait until it is complete again
                self._considered.pop(student, None)
                self._complete = None

    def waiting(self) -> int:
        """How many complete submissions `arrived` has not given yet."""
        return len(self._waiting)

    def find(self) -> FoundSubmissions:
        from grader.intake.submissions.arrival import SubmissionError
        from grader.intake.submissions.finding import FoundSubmissions, find
        from grader.intake.submissions.intake_csv import decisions

        lessons, course, roster = self._context.lessons, self._context.course_lessons, self._context.roster
        try:
            found = find([self.appearing.folder], lessons, course, roster, self._unpacked)
        except SubmissionError as error:
            if self.appearing.names:
                self.warn(str(error))
                return self.found
            found = FoundSubmissions(lessons, course)  # there is nothing yet
        found.decided = decisions(self._lines)
        found.questions = self.found.questions  # submissions that were found before may still be read
        try:
            with redirect_stderr(StringIO()):  # a line about who has submitted nothing yet is no news
                set_times(found, self._context, quiet=True)
        except UserError as error:  # a person is editing the file
            self.warn(str(error))
        for remark in found.remarks:
            self.warn(f"{'roster: ' if roster else ''}{remark}")
        self.found = found
        return found

    def published(self, students: Collection[str]) -> None:
        from grader.publish.export.formats import write_formats

        failed = write_formats(self._context.out, students, self._context.formats)
        try:
            for sentence in (*what_is_plain(failed), *self.store_intake()):
                self.warn(sentence)
        except UserError as error:  # a person is editing intake.csv
            self.warn(str(error))

    def store_intake(self) -> list[str]:
        """As run_inputs.store_intake, with what a person wrote there meanwhile. Raises UserError."""
        out, given = self._context.out, self._context.intake_file
        return store_intake(self.found, out, confirmed_and_given(out, given, self._context.loaded))

    def warn(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            click.echo(f"grade: {printable(sentence)}", err=True)


def folder_to_follow(context: RunContext) -> Path:
    """The folder to follow. Refuses what does not go together with --follow."""
    submissions = context.submissions
    if len(submissions) != 1 or not submissions[0].is_dir():
        fail(f"--follow grades what appears in one folder, and was given {', '.join(map(str, submissions))}.")
    if context.cluster is not None:
        fail("--follow grades on this machine: leave out --cluster, or run `grade run --cluster` again and again.")
    if unfit := sorted({"github", "classroom50"}.intersection(context.formats)):
        fail(f"--format {unfit[0]} reports to a job that ends, and --follow does not end: leave one of them out.")
    if not context.are_chosen:
        fail(
            "--follow must know what counts before the first submission comes: name the lessons with --lesson, or give "
            "--assignment."
        )
    if not os.access(submissions[0], os.R_OK | os.X_OK):
        fail(f"{submissions[0]} cannot be read: give a folder that you may list.")
    return submissions[0]
