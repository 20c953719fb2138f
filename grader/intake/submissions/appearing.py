"""Which entries of a folder have appeared completely: programs copy, upload and unpack into it meanwhile.

An entry is complete when nothing about it has changed for a while, by this process's clock: clocks of file servers
differ. Files that look cut off (an archive without its end, a notebook that is not JSON, an empty file) must have been
unchanged for longer, because an upload may have paused. The folder is read again and again, which works on every
file system, also on those of other machines.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from grader.intake.submissions.archives import archive_names
from grader.intake.submissions.file_kinds import (
    NOTEBOOK,
    IncompleteDownload,
    Unreadable,
    is_archive,
    is_code,
    open_regular,
    suffix_of,
)

SETTLE_SECONDS = 1.0
DOUBTFUL_SECONDS = 10.0
"""How long an entry that looks cut off must have been unchanged."""
PARTIAL = (".part", ".partial", ".filepart", ".crdownload", ".download", ".tmp", ".swp", "~")
"""How names end under which programs write a file until it is complete."""
MAX_APPEARING_FILES = 10_000  # of an entry that are read
MAX_CHECKED = 20  # of an entry that are read for their end
MAX_APPEARING_NOTEBOOK_BYTES = 32 << 20

FolderState = tuple[tuple[str, int, int, int], ...]
"""(name, inode, size, time of modification in nanoseconds) of each file and folder of an entry."""


@dataclass
class SeenEntry:
    """`since` is when this process saw the state first; `is_doubtful` is None until its files were read."""

    state: FolderState
    since: float
    is_doubtful: bool | None = None


class Appearing:
    """The entries of `folder`. `clock` gives seconds."""

    def __init__(
        self, folder: Path, settle: float = SETTLE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.folder, self._settle, self.clock = folder.resolve(), settle, clock
        self._entries: dict[str, SeenEntry] = {}

    def look(self) -> None:
        """See what has changed since the last time. Raises OSError where the folder itself cannot be read."""
        now, before, names = self.clock(), self._entries, os.listdir(self.folder)
        self._entries = {}
        for name in names:
            if not name.startswith((".", "~")) and not name.lower().endswith(PARTIAL):
                state, known = folder_state(self.folder / name), before.get(name)
                self._entries[name] = known if known and known.state == state else SeenEntry(state, now)

    @property
    def names(self) -> set[str]:
        """Of all entries, complete or not."""
        return set(self._entries)

    def complete(self) -> dict[str, FolderState]:
        """{name: state} of the entries that are complete."""
        return {name: entry.state for name, entry in self._entries.items() if self._is_complete(name, entry)}

    def is_unchanged(self, name: str, state: FolderState) -> bool:
        """Whether an entry is at this moment in this state."""
        return folder_state(self.folder / name) == state

    def _is_complete(self, name: str, entry: SeenEntry) -> bool:
        seconds = self.clock() - entry.since
        if seconds < self._settle:
            return False
        if entry.is_doubtful is None:
            entry.is_doubtful = looks_cut_off(self.folder / name, entry.state)
        return not entry.is_doubtful or seconds >= max(DOUBTFUL_SECONDS, self._settle)


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


def looks_cut_off(path: Path, state: FolderState) -> bool:
    """Whether a file, or one in a folder, is empty or lacks its end."""
    files = [Path(path.parent, name) for name, *_ in state if (path.parent / name).is_file()]
    checked = [file for file in files if is_code(file) or is_archive(file)][:MAX_CHECKED]
    return not files or any(map(is_cut_off, checked))


def is_cut_off(file: Path) -> bool:
    try:
        size = file.stat().st_size
        if is_archive(file):
            archive_names(file)
        elif suffix_of(file) == NOTEBOOK and size <= MAX_APPEARING_NOTEBOOK_BYTES:
            with open(file, "rb", opener=open_regular) as notebook:
                json.loads(notebook.read(MAX_APPEARING_NOTEBOOK_BYTES))
    except (OSError, ValueError, RecursionError, Unreadable, IncompleteDownload):
        return True
    return size == 0
