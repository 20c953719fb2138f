"""A folder that is followed: the submissions that appear in it while programs copy, upload and unpack into it.

An entry of the folder is complete when nothing about it has changed for a while, by this process's clock: clocks of
file servers differ. What holds no bytes yet must have been unchanged for longer. The folder is read again and again,
which works on every file system, also on those of other machines.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.submission import Submission

SETTLE_SECONDS = 1.0
EMPTY_SECONDS = 10.0
"""How long an empty file or folder must have been unchanged."""
PARTIAL = (".part", ".partial", ".filepart", ".crdownload", ".download", ".tmp", ".swp", "~")
"""How names end under which programs write a file until it is complete."""
MAX_APPEARING_FILES = 10_000  # of an entry that are read

FolderState = tuple[tuple[str, int, int, int], ...]
"""(name, inode, size, time of modification in nanoseconds) of each file and folder of an entry; a folder has size 0."""


class Inbox:
    """The submissions in `folder`, which `find` finds again whenever an entry is complete and new or changed.

    Attributes:
        found: the submissions as found last.
        complete: {entry of the folder: its state}, of the entries that are complete.
        published: is called after the class's pages were written, with the students whose results are new in them.
        warn: is called with a sentence for the person who follows the folder.
        clock: gives seconds.
    """

    def __init__(
        self,
        folder: Path,
        find: Callable[[], FoundSubmissions],
        published: Callable[[Collection[str]], object],
        warn: Callable[[str], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder, self._find, self.published, self.warn, self.clock = folder.resolve(), find, published, warn, clock
        self._entries: dict[str, tuple[FolderState, float]] = {}  # when this process saw the state first
        self._read: dict[str, dict[str, FolderState]] = {}  # {student: the entries when their submission was read}
        self.complete: dict[str, FolderState] = {}
        self.found = find()

    def look(self) -> None:
        """See what has changed since the last time."""
        try:
            names = os.listdir(self.folder)
        except OSError as error:  # a file server may come back
            self.warn(f"{self.folder} cannot be read ({error.strerror}): waiting for it.")
            return
        now, before, self._entries, complete = self.clock(), self._entries, {}, dict[str, FolderState]()
        for name in names:
            if not name.startswith((".", "~")) and not name.lower().endswith(PARTIAL):
                state, known = folder_state(self.folder / name), before.get(name)
                self._entries[name] = state, since = known if known and known[0] == state else (state, now)
                is_empty = not any(size for _, _, size, _ in state)
                if now - since >= (EMPTY_SECONDS if is_empty else SETTLE_SECONDS):
                    complete[name] = state
        if complete != self.complete:
            self.complete = complete
            self.found = self._find()

    def _new(self) -> Iterator[tuple[Arrival, dict[str, FolderState]]]:
        """What is complete and was not read in this state, with the entries of the folder that it was found in.

        An arrival that is nowhere in the folder, because it was unpacked or is the folder itself, needs all entries.
        """
        for arrival in self.found.arrivals:
            places = [each for each in (arrival.path, *arrival.sources) if self.folder in each.parents]
            names = {place.relative_to(self.folder).parts[0] for place in places} or self._entries.keys()
            states = {name: self.complete[name] for name in names if name in self.complete}
            if len(states) == len(names) and self._read.get(arrival.student) != states:
                yield arrival, states

    def arrived(self, busy: Collection[str]) -> Iterator[Submission]:
        """Complete submissions that are new or changed, none of a student who is `busy`: one is graded already.

        What is being replaced waits until it is complete again.
        """
        for arrival, states in self._new():
            if arrival.student not in busy:
                submission = self.found.read_arrival(arrival)
                if all(folder_state(self.folder / name) == state for name, state in states.items()):
                    self._read[arrival.student] = states
                    yield submission

    def waiting(self) -> int:
        """How many complete submissions `arrived` has not given yet."""
        return sum(1 for _ in self._new())


def folder_state(path: Path) -> FolderState:
    """The state of a file, or of a folder with all that it contains. What vanishes meanwhile is left out."""
    found, inside = list[tuple[str, int, int, int]](), list[Path]()
    with suppress(OSError):
        inside = sorted(islice(path.rglob("*"), MAX_APPEARING_FILES))
    for place in (path, *inside):
        with suppress(OSError):
            info = os.lstat(place)
            size = 0 if stat.S_ISDIR(info.st_mode) else info.st_size
            found.append((str(place.relative_to(path.parent)), info.st_ino, size, info.st_mtime_ns))
    return tuple(found)
