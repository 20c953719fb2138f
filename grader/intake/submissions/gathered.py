"""Every file of a submission that may be graded, wherever it is: in folders, in an archive, in archives inside."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from grader.intake.notebook.outline import FileOutline, outline_limited
from grader.intake.submissions.archives import read_archives
from grader.intake.submissions.file_kinds import (
    MAX_ARCHIVE_DEPTH,
    MAX_BYTES,
    NOTEBOOK,
    Unreadable,
    is_archive,
    is_clutter,
    is_code,
    read_submitted,
    suffix_of,
)
from grader.lesson.paths import BACKWARD_FILE

MAX_ENTRIES_OF_A_FOLDER = 10_000
MAX_FOLDERS = 1_000
ANSWER_FILE_NAME = re.compile(r"answers.*\.toml", re.IGNORECASE)
"""Also answers (1).toml and answers-1.toml, as browsers and platforms number files."""


@dataclass(frozen=True)
class GatheredFile:
    """A file on disk, read once when it is needed.

    Attributes:
        shown: its place in the submission, with the names of archives as folders.
        is_alone: it is the submission, and the files next to it on disk are not the student's.
    """

    path: Path
    shown: str
    is_alone: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.shown.split("/"))

    @property
    def folder(self) -> str:
        return self.shown.rpartition("/")[0]

    @property
    def is_notebook(self) -> bool:
        return suffix_of(self.path) == NOTEBOOK

    @cached_property
    def source(self) -> bytes:
        """Its bytes. Raises Unreadable, IncompleteDownload."""
        return read_submitted(self.path, MAX_BYTES[NOTEBOOK if self.is_notebook else ".py"])

    @cached_property
    def outline(self) -> FileOutline:
        """The functions that it defines. Raises Unreadable, IncompleteDownload."""
        return outline_limited(self.source, self.is_notebook)

    @cached_property
    def normal(self) -> bytes:
        """Its text without layout. Where it cannot be read, its place, which differs from every text."""
        try:
            return without_layout(self.source)
        except Unreadable:
            return self.shown.encode("utf-8", "surrogateescape")


def without_layout(source: bytes) -> bytes:
    """The text without what editors and systems change: line ends, a byte order mark, spaces at the end of a line."""
    return b"\n".join(line.rstrip() for line in source.removeprefix(b"\xef\xbb\xbf").split(b"\n")).rstrip()


@dataclass
class Gathered:
    """What is in a submission, those near its root first.

    Attributes:
        files: Python files and notebooks.
        answers: files that are called like answers.toml.
        folders: their places.
        others: the names of some files of other kinds.
        refused: {archive: why nothing of it is read}.
        archive: the name of the archive that is the submission; "" for a folder or a file.
    """

    files: list[GatheredFile] = field(default_factory=list)
    answers: list[GatheredFile] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    archive: str = ""


@contextmanager
def gathered(place: Path) -> Iterator[Gathered]:
    """What is in a folder, an archive or a file. Raises Unreadable, OSError."""
    if place.is_file() and not is_archive(place):
        if not is_code(place):
            expected = f"expected a folder or an archive with NN_name/{BACKWARD_FILE}, a notebook, or a .py file."
            raise Unreadable(f"{place.name} cannot be read: {expected}")
        yield Gathered([GatheredFile(place, place.name, is_alone=True)])
        return
    found = Gathered(archive=place.name if place.is_file() else "")
    archives = {"": place} if found.archive else add_files_below(place, found)
    if not archives:
        yield found
        return
    with tempfile.TemporaryDirectory(prefix="submission-") as name:
        folder = Path(name).resolve()
        unpacked = read_archives(archives, folder)
        found.refused |= unpacked.refused
        found.others += unpacked.others
        add_files_below(folder, found)
        if len(found.refused) == len(archives) == 1 and not found.files:
            raise Unreadable(*found.refused.values())
        yield found


def add_files_below(root: Path, found: Gathered) -> dict[str, Path]:
    """Adds what is in a folder and in its subfolders; returns the archives, {place: path}. Raises OSError.

    A link to a folder is left out. One to a file is refused with a sentence where it is read.
    """
    archives: dict[str, Path] = {}
    waiting = [(root, "")]
    for folder, shown in waiting:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        entries = [entry for entry in entries if not is_clutter(entry.name)]
        if len(entries) > MAX_ENTRIES_OF_A_FOLDER:
            most = f"at most {MAX_ENTRIES_OF_A_FOLDER:,} are read"
            raise Unreadable(f"{folder.name} holds {len(entries):,} files and folders; {most}.")
        for entry in entries:
            path, place = Path(entry.path), f"{shown}/{entry.name}".removeprefix("/")
            if entry.is_dir(follow_symlinks=False):
                found.folders.append(place)
                if place.count("/") < MAX_ARCHIVE_DEPTH and len(waiting) < MAX_FOLDERS:
                    waiting.append((path, place))
            elif is_archive(path) and not entry.is_symlink():
                archives[place] = path
            elif is_code(path):
                found.files.append(GatheredFile(path, place))
            elif ANSWER_FILE_NAME.fullmatch(entry.name):
                found.answers.append(GatheredFile(path, place))
            elif entry.is_file(follow_symlinks=False):
                found.others.append(entry.name)
    return archives
