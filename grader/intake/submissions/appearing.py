"""Which entries of a folder have appeared completely: programs copy, upload and unpack into it meanwhile.

An entry is complete when nothing about it has changed for a while, by this process's clock: clocks of file servers
differ. What holds no bytes yet must have been unchanged for longer. The folder is read again and again, which works on
every file system, also on those of other machines.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path

SETTLE_SECONDS = 1.0
EMPTY_SECONDS = 10.0
"""How long an empty file or folder must have been unchanged."""
PARTIAL = (".part", ".partial", ".filepart", ".crdownload", ".download", ".tmp", ".swp", "~")
"""How names end under which programs write a file until it is complete."""
MAX_APPEARING_FILES = 10_000  # of an entry that are read

FolderState = tuple[tuple[str, int, int, int], ...]
"""(name, inode, size, time of modification in nanoseconds) of each file and folder of an entry; a folder has size 0."""


class Appearing:
    """The entries of `folder`. `clock` gives seconds."""

    def __init__(
        self, folder: Path, settle: float = SETTLE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.folder, self._settle, self.clock = folder.resolve(), settle, clock
        self._entries: dict[str, tuple[FolderState, float]] = {}  # when this process saw the state first

    def look(self) -> None:
        """See what has changed since the last time. Raises OSError where the folder itself cannot be read."""
        now, before, names = self.clock(), self._entries, os.listdir(self.folder)
        self._entries = {}
        for name in names:
            if not name.startswith((".", "~")) and not name.lower().endswith(PARTIAL):
                state, known = folder_state(self.folder / name), before.get(name)
                self._entries[name] = known if known and known[0] == state else (state, now)

    @property
    def names(self) -> set[str]:
        """Of all entries, complete or not."""
        return set(self._entries)

    def complete(self) -> dict[str, FolderState]:
        """{name: state} of the entries that are complete."""
        found, now = dict[str, FolderState](), self.clock()
        for name, (state, since) in self._entries.items():
            is_empty = not any(size for _, _, size, _ in state)
            if now - since >= (max(EMPTY_SECONDS, self._settle) if is_empty else self._settle):
                found[name] = state
        return found

    def is_unchanged(self, name: str, state: FolderState) -> bool:
        """Whether an entry is at this moment in this state."""
        return folder_state(self.folder / name) == state


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
