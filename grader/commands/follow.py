"""`grade run --follow`: the folder that is followed, and what is written next to its results as they come."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from shutil import rmtree

from grader.commands.console import print_remarks
from grader.commands.intake import Intake
from grader.commands.live import what_is_plain
from grader.errors import UserError
from grader.intake.submissions.appearing import Appearing, FolderState
from grader.intake.submissions.arrival import Arrival, SubmissionError
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.submission import Submission
from grader.publish.export.formats import write_formats


class FollowedFolder:
    """A folder of submissions, found again whenever something in it has changed (grading.run.Inbox)."""

    def __init__(self, folder: Path, intake: Intake, formats: Sequence[str], quiet: bool) -> None:
        self._unpacked = Path(tempfile.mkdtemp(prefix="followed-"))
        weakref.finalize(self, rmtree, self._unpacked, ignore_errors=True)
        self.appearing, self._intake, self._formats = Appearing(folder), intake, formats
        self._decided = intake.found.decided
        self._remarks = set[str]()
        self._complete: dict[str, FolderState] = {}  # {entry of the folder: its state}
        self._read: dict[str, dict[str, FolderState]] = {}  # {student: the entries when their submission was read}
        unclear = self._find()
        self._warn(unclear if quiet else [*unclear, f"following {folder}. Ctrl-C ends it."])

    @property
    def found(self) -> FoundSubmissions:
        return self._intake.found

    def look(self) -> None:
        """Find what is complete and new or changed, for `arrived`."""
        try:
            self.appearing.look()
        except OSError as error:  # a file server may come back
            self._warn([f"{self.appearing.folder} cannot be read ({error.strerror}): waiting for it."])
            return
        if self._complete != (complete := self.appearing.complete()):
            self._complete = complete
            self._find()  # who has submitted nothing yet is no news

    def _find(self) -> list[str]:
        """Find what is in the folder now; returns what is unclear about times. What cannot be read stays as it was."""
        try:
            unclear, _ = self._intake.find([self.appearing.folder], self._unpacked)
            self._warn(self._intake.remarks())
            return unclear
        except SubmissionError as error:
            self._warn([str(error)] if self.appearing.names else [])
        except UserError as error:  # a person is editing the file with the times
            self._warn([str(error)])
        return []

    def _new(self) -> Iterator[tuple[Arrival, dict[str, FolderState]]]:
        """What is complete and was not read in this state, with the entries of the folder that it was found in.

        An arrival that is nowhere in the folder, because it was unpacked or is the folder itself, needs all entries.
        """
        root = self.appearing.folder
        for arrival in self.found.arrivals:
            places = [each for each in (arrival.path, *arrival.sources) if each.is_relative_to(root) and each != root]
            names = {place.relative_to(root).parts[0] for place in places} or self.appearing.names
            states = {name: self._complete[name] for name in names if name in self._complete}
            if len(states) == len(names) and self._read.get(arrival.student) != states:
                yield arrival, states

    def arrived(self, busy: Collection[str]) -> Iterator[Submission]:
        """See grading.run.Inbox. What is being replaced waits until it is complete again."""
        for arrival, states in self._new():
            if arrival.student not in busy:
                submission = self.found.read_arrival(arrival)
                if all(self.appearing.is_unchanged(name, state) for name, state in states.items()):
                    self._read[arrival.student] = states
                    yield submission

    def waiting(self) -> int:
        """How many complete submissions `arrived` has not given yet."""
        return sum(1 for _ in self._new())

    def published(self, students: Collection[str]) -> None:
        """See grading.run.Inbox. Writes formats, and intake.csv with what a person wrote there meanwhile."""
        self._warn(what_is_plain(write_formats(self._intake.out, students, self._formats)))
        try:
            self._intake.read_files()
            self.found.decided = self._decided  # what is confirmed now counts from the next start on
            self._warn(self._intake.store())
        except UserError as error:  # a person is editing intake.csv
            self._warn([str(error)])

    def _warn(self, sentences: Iterable[str]) -> None:
        """Print each sentence once."""
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._remarks]
        self._remarks.update(new)
        print_remarks(new)
