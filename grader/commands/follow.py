"""`grade run --follow`: what is found in the folder that is followed, and what is written as results come."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from grader.commands.console import print_remarks
from grader.commands.intake import Intake
from grader.commands.live import what_is_plain
from grader.errors import UserError
from grader.intake.submissions.arrival import SubmissionError
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.inbox import Inbox
from grader.publish.export.formats import write_formats


class FollowedFolder:
    """What a run that follows a `folder` does with the files of its `intake`, which somebody may be editing.

    Attributes:
        inbox: the folder's submissions.
    """

    def __init__(self, folder: Path, intake: Intake, formats: Sequence[str], quiet: bool) -> None:
        self._folder, self._intake, self._formats = folder, intake, formats
        self._warned, self._has_begun = set[str](), False
        self.inbox = Inbox(folder, self._find, self._published, self._warn)
        self._has_begun = True
        self._warn(*([] if quiet else [f"following {folder}. Ctrl-C ends it."]))

    def _find(self) -> FoundSubmissions:
        """The submissions that are in the folder now. What cannot be read stays as it was."""
        try:
            unclear, _ = self._intake.find([self._folder.resolve()])
            # later, it is no news who has submitted nothing yet
            self._warn(*self._intake.remarks(), *([] if self._has_begun else unclear))
        except SubmissionError as error:
            self._warn(*([str(error)] if self._has_begun and self.inbox.complete else []))  # nothing is there yet
        except UserError as error:  # a person is editing the file with the times
            self._warn(str(error))
        return self._intake.found

    def _published(self, students: Collection[str]) -> None:
        """Write formats, and intake.csv with what a person wrote there meanwhile."""
        self._warn(*what_is_plain(write_formats(self._intake.given.out, students, self._formats)))
        try:
            self._intake.read_files()  # what is confirmed now counts from the next start on
            self._warn(*self._intake.store())
        except UserError as error:  # a person is editing intake.csv
            self._warn(str(error))

    def _warn(self, *sentences: str) -> None:
        """Print each sentence once."""
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._warned]
        self._warned.update(new)
        print_remarks(new)
