"""`grade run --follow`: the folder that is followed, and what is written next to its results as they come."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from shutil import rmtree

from grader.commands.console import print_remarks
from grader.commands.live import what_is_plain
from grader.commands.run import GradeRun
from grader.errors import UserError
from grader.gradebook.grading.grader_processes import GraderPool
from grader.intake.submissions.appearing import Appearing, FolderState
from grader.intake.submissions.arrival import Arrival, SubmissionError
from grader.intake.submissions.finding import FoundSubmissions, find
from grader.intake.submissions.submission import Submission
from grader.publish.export.formats import write_formats


class FollowedFolder:
    """A folder of submissions, found again whenever something in it has changed (grading.follow.Inbox)."""

    def __init__(self, run: GradeRun) -> None:
        """Refuses what does not go together with --follow. Raises UserError."""
        folder = folder_to_follow(run)
        self._unpacked = Path(tempfile.mkdtemp(prefix="followed-"))
        weakref.finalize(self, rmtree, self._unpacked, ignore_errors=True)
        self.appearing = Appearing(folder)
        self._run, self.found = run, FoundSubmissions(run.lessons, run.course_lessons)
        self._remarks = set[str]()
        self._complete: dict[str, FolderState] = {}  # {entry of the folder: its state}
        self._read: dict[str, dict[str, FolderState]] = {}  # {student: the entries when their submission was read}
        run.found = self.found
        run.read_intake_files()
        self._decided = self.found.decided
        unclear, _ = run.known.set_times(self.find(), run.assignment)
        self.warn(unclear if run.quiet else [*unclear, f"following {folder}. Ctrl-C ends it."])

    def look(self) -> None:
        """Find what is complete and new or changed, for `arrived`."""
        try:
            self.appearing.look()
        except OSError as error:  # a file server may come back
            self.warn([f"{self.appearing.folder} cannot be read ({error.strerror}): waiting for it."])
            return
        if self._complete != (complete := self.appearing.complete()):
            self._complete = complete
            self.find()

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

    def arrived(self, pool: GraderPool) -> Iterator[Submission]:
        """See grading.follow.Inbox. What is being replaced waits until it is complete again."""
        for arrival, states in self._new():
            if pool.room <= 0:
                return
            if arrival.student not in pool.students:
                submission = self.found.read_arrival(arrival)
                if all(self.appearing.is_unchanged(name, state) for name, state in states.items()):
                    self._read[arrival.student] = states
                    yield submission

    def waiting(self) -> int:
        """How many complete submissions `arrived` has not given yet."""
        return sum(1 for _ in self._new())

    def find(self) -> FoundSubmissions:
        """What is in the folder now; what was found before where that cannot be read."""
        run, roster = self._run, self._run.known.roster
        try:
            found = find([self.appearing.folder], run.lessons, run.course_lessons, roster, self._unpacked)
        except SubmissionError as error:
            if self.appearing.names:
                self.warn([str(error)])
                return run.found
            found = FoundSubmissions(run.lessons, run.course_lessons)  # there is nothing yet
        found.decided = self._decided
        found.questions = run.found.questions  # submissions that were found before may still be read
        try:
            run.known.set_times(found, run.assignment)  # who has submitted nothing yet is no news
        except UserError as error:  # a person is editing the file
            self.warn([str(error)])
        self.warn(f"{'roster: ' if roster else ''}{remark}" for remark in found.remarks)
        self.found = run.found = found
        return found

    def published(self, students: Collection[str]) -> None:
        """See grading.follow.Inbox. Writes formats, and intake.csv with what a person wrote there meanwhile."""
        run = self._run
        self.warn(what_is_plain(write_formats(run.out, students, run.formats)))
        try:
            run.read_intake_files()
            run.found.decided = self._decided  # what is confirmed now counts from the next start on
            self.warn(run.store_intake())
        except UserError as error:  # a person is editing intake.csv
            self.warn([str(error)])

    def warn(self, sentences: Iterable[str]) -> None:
        """Print each sentence once."""
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._remarks]
        self._remarks.update(new)
        print_remarks(new)


def folder_to_follow(run: GradeRun) -> Path:
    """The folder to follow. Refuses what does not go together with --follow. Raises UserError."""
    folder, *others = run.submissions
    if others or not folder.is_dir() or not os.access(folder, os.R_OK | os.X_OK):
        given = ", ".join(map(str, run.submissions))
        raise UserError(f"--follow grades what appears in one folder that you may list, and was given {given}.")
    if run.cluster is not None:
        raise UserError("--follow grades on this machine: leave out --cluster.")
    if job := next((name for name in ("github", "classroom50") if name in run.formats), None):
        raise UserError(f"--format {job} reports to a job that ends, and --follow does not end: leave one of them out.")
    if not run.are_chosen:
        raise UserError("--follow must know what counts: name the lessons with --lesson, or give --assignment.")
    return folder
