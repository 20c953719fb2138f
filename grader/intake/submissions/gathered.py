"""Every file of a submission that may be a lesson's, wherever it is: in folders, and in archives inside."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from grader.intake.notebook.outline import FileOutline
from grader.intake.submissions.archive import is_archive, unpack_together
from grader.intake.submissions.file_kinds import MAX_ARCHIVE_DEPTH, NOTEBOOK, is_clutter, suffix_of
from grader.intake.submissions.lesson_files import Unreadable, read_downloaded

MAX_FOLDERS = 1_000
MAX_SEARCHED_FILES = 100
MAX_SEARCHED_BYTES = 4 << 20
"""Of the files that are searched for functions; a notebook counts without its pictures only after it is read."""
MAX_NOTEBOOK = 20 << 20
TEXTS = (".txt", ".py~", ".bak", ".orig")
"""Files that may be Python under another name. They are searched where a submission has nothing else."""


@dataclass(frozen=True)
class GatheredFile:
    """Attributes:
    path: the file on disk.
    shown: its place in the submission, with the names of archives as folders.
    source: its bytes.
    is_alone: the submission is this one file; those next to it on disk are not the student's.
    outline: what it defines.
    """

    path: Path
    shown: str
    source: bytes
    is_alone: bool = False
    outline: FileOutline = field(default_factory=FileOutline)

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.shown.split("/"))

    @property
    def is_notebook(self) -> bool:
        return suffix_of(self.path) == NOTEBOOK

    @property
    def normal(self) -> bytes:
        return without_layout(self.source)


def without_layout(source: bytes) -> bytes:
    """The text without what editors and systems change: line ends, a byte order mark, spaces at the end of a line."""
    return b"\n".join(line.rstrip() for line in source.removeprefix(b"\xef\xbb\xbf").split(b"\n")).rstrip()


@contextmanager
def gathered_files(place: Path, refused: dict[str, str]) -> Iterator[list[GatheredFile]]:
    """The gradable files in a folder, or a single file; `refused` receives {archive: why it is not read}."""
    if not place.is_dir():
        yield read_all([(place, place.name)], is_alone=True)
        return
    found = files_below(place)
    archives = {shown: path for path, shown in found if is_archive(path)}
    if not archives:
        yield read_all(found)
        return
    with tempfile.TemporaryDirectory(prefix="submission-") as name:
        folder = Path(name).resolve()
        refused |= unpack_together(archives, folder)
        found += files_below(folder)
        yield read_all([(path, shown) for path, shown in found if not is_archive(path)])


def files_below(root: Path) -> list[tuple[Path, str]]:
    """(path, place) of Python files, notebooks and archives, those near the root first. Links are left out.

    Where there is none, they are those of TEXTS.
    """
    found: list[tuple[Path, str]] = []
    texts: list[tuple[Path, str]] = []
    waiting = [root]
    for number, folder in enumerate(waiting):
        if number >= MAX_FOLDERS:
            break
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        if any(entry.name == "pyvenv.cfg" for entry in entries):
            continue
        for entry in entries:
            path = Path(entry.path)
            if is_clutter(entry.name) or entry.is_symlink():
                continue
            if entry.is_dir():
                if len(path.relative_to(root).parts) <= MAX_ARCHIVE_DEPTH:
                    waiting.append(path)
            elif suffix_of(path) in (".py", NOTEBOOK) or is_archive(path):
                found.append((path, str(path.relative_to(root))))
            elif path.suffix.lower() in TEXTS:
                texts.append((path, str(path.relative_to(root))))
    return found or texts


def read_all(found: Sequence[tuple[Path, str]], is_alone: bool = False) -> list[GatheredFile]:
    files, total = [], 0
    for path, shown in found[:MAX_SEARCHED_FILES]:
        try:
            source = read_downloaded(path, MAX_NOTEBOOK) if suffix_of(path) == NOTEBOOK else read_downloaded(path)
        except Unreadable:
            continue
        total += 0 if suffix_of(path) == NOTEBOOK else len(source)
        if total <= MAX_SEARCHED_BYTES:
            files.append(GatheredFile(path, shown, source, is_alone))
    return files
