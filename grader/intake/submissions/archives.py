"""Archives as submissions: a .zip or .tar (.gz, .bz2, .xz) of one student, or of a whole class.

The reading process unpacks them with Python's library, so a hostile archive costs that process, a few seconds and a
sentence: its limits of processor time and memory end it. The limits here are of what comes to the disk: ordinary files
below the given folder, of one student only Python files, notebooks, answers and archives.
"""

from __future__ import annotations

import os
import stat
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO

from grader.intake.submissions.file_kinds import (
    ARCHIVE_SUFFIXES,
    MAX_ARCHIVE_DEPTH,
    MAX_BYTES,
    MIB,
    UNREAD_ARCHIVES,
    IncompleteDownload,
    Unreadable,
    how_to_shrink,
    is_archive,
    is_clutter,
    open_regular,
    refuse_pointer,
    suffix_of,
)
from grader.source.parsing import LFS_POINTER
from grader.source.reader import ReadingStopped, source_reader

SECONDS, SECONDS_PER_MIB = 3.0, 1.0
"""Processor time for any archive, and for each MiB of it: an ordinary one takes a hundredth."""
CHUNK_BYTES = 1 << 16
MAX_ARCHIVE_BYTES = {False: 64 * MIB, True: 4096 * MIB}
"""{whether it is a whole class's: bytes of the archive, and of all that comes out of it}"""
MAX_ENTRIES = {False: 10_000, True: 100_000}
MAX_METADATA_BYTES = 64 * MIB
MAX_CLASS_BYTES = MAX_BYTES | {".yml": MAX_METADATA_BYTES}
MAX_OTHERS = 20
MARKED_AS_UTF_8 = 0x800


@dataclass
class Unpacked:
    """What became of archives.

    Attributes:
        refused: {place: sentence} of archives that are not read.
        others: the names of some files that were left out.
        incomplete: which archive is not in the download, a sentence; "" where all are.
        strange_name: a name in a .zip that is not in UTF-8; "" where none is.
    """

    refused: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    incomplete: str = ""
    strange_name: str = ""


def read_archives(archives: Mapping[str, Path], folder: Path, of_class: bool = False) -> Unpacked:
    """Unpacks {place below `folder`: archive}, under the limits of one.

    Of one student's, the archives inside become folders of their names. A whole class's archive keeps its students'
    archives as they are, and an empty file for one of another kind and for a link. Raises Unreadable where a limit is
    reached, IncompleteDownload.
    """
    seconds = SECONDS + SECONDS_PER_MIB * (sum(path.stat().st_size for path in archives.values()) // MIB)
    try:
        reply = source_reader().call(unpack_archives, dict(archives), folder, of_class, seconds=seconds)
    except ReadingStopped as stopped:
        shown = ", ".join(path.name for path in archives.values())
        raise Unreadable(f"{shown[:80]} cannot be unpacked: {stopped}. Submit the lesson's folder only.") from None
    found = Unpacked(**reply)
    if found.incomplete:
        raise IncompleteDownload(found.incomplete)
    return found


# In the reading process -----------------------------------------------------------------------------------------------


def unpack_archives(archives: Mapping[str, Path], folder: Path, of_class: bool) -> Unpacked:
    """As `read_archives`, without limits of time and memory."""
    unpacking = Unpacking(folder, of_class)
    with tempfile.TemporaryDirectory(dir=folder) as aside:
        unpacking.aside = Path(aside) if not of_class else None
        inner = [found for place, path in archives.items() for found in unpacking.open(PurePosixPath(place), path)]
        unpacking.aside = None
        for place, path in inner:
            unpacking.open(place, path)
    return unpacking.found


Entry = tuple[str, bool, Callable[[], IO[bytes]]]
"""(name, whether it is an ordinary file, what opens it). The name of a folder ends in a slash."""


class Unpacking:
    """Archives that are written below `folder`; what is written is counted for all of them together.

    Attributes:
        aside: where a student's archives inside another are put; None where they stay inside.
    """

    def __init__(self, folder: Path, of_class: bool) -> None:
        self.folder, self.found = folder, Unpacked()
        self.aside: Path | None = None
        self._of_class = of_class
        self._entries = self._bytes = 0

    def open(self, place: PurePosixPath, path: Path) -> list[tuple[PurePosixPath, Path]]:
        """Unpacks one archive into the folder `place`, or says why it is refused; returns archives inside."""
        name, written, inner = place.name or path.name, list[Path](), list[tuple[PurePosixPath, Path]]()
        try:
            with open(path, "rb", opener=open_regular) as file:
                check_kind(name, file, MAX_ARCHIVE_BYTES[self._of_class])
                entries = self._zip_entries(file) if name.lower().endswith(".zip") else tar_entries(file)
                for entry, is_file, opened in entries:
                    inside = self._place_of(entry, is_file)
                    if inside is None:
                        continue
                    target, suffix = self.folder / place / inside, suffix_of(inside)
                    if self.aside is not None and inside.name.lower().endswith(ARCHIVE_SUFFIXES):
                        target = self.aside / place / inside
                        inner.append((place / inside, target))
                    elif not (self._of_class or suffix in MAX_BYTES):
                        self.found.others += [inside.name] if len(self.found.others) < MAX_OTHERS else []
                        continue
                    limit = MAX_ARCHIVE_BYTES[False] if is_archive(inside) else MAX_CLASS_BYTES.get(suffix, 0)
                    written.append(target)
                    with opened() if is_file and limit else BytesIO() as content:
                        self._write(target, limit, content)
            return inner
        except MemoryError:
            raise
        except Exception as error:  # Python's readers raise anything for damaged bytes
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
            sentence = f"{name[:80]} cannot be unpacked ({reason[:200]}): pack it again and submit again."
            sentence = str(error) if isinstance(error, (Unreadable, IncompleteDownload)) else sentence
            self.found.refused["/".join(place.parts)] = sentence
            self.found.incomplete = sentence if isinstance(error, IncompleteDownload) else self.found.incomplete
            for target in written:
                with suppress(OSError):
                    target.unlink()
            return []

    def _zip_entries(self, file: IO[bytes]) -> Iterator[Entry]:
        """Names that are not in UTF-8 are read as cp437, which has every byte."""
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                name = entry.orig_filename
                if not entry.flag_bits & MARKED_AS_UTF_8:
                    try:
                        name = name.encode("cp437").decode("utf-8")
                    except UnicodeError:
                        # a byte of a letter may be a backslash, which must not make two students' folders one
                        self.found.strange_name = name = name.replace("\\", "_")
                kind = stat.S_IFMT(entry.external_attr >> 16)
                yield name, kind in (0, stat.S_IFREG), partial(archive.open, entry)

    def _place_of(self, name: str, is_file: bool) -> PurePosixPath | None:
        """The path of an entry; None for what is left out: folders, clutter, in a class's archive what is too deep.

        Raises Unreadable, in a class's archive only for what is outside: a link is an empty file there.
        """
        self._entries += 1
        if self._entries > (most := MAX_ENTRIES[self._of_class]):
            raise Unreadable(f"The archive has more than {most:,} entries: submit the lesson's folder only.")
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or "\0" in name or (path.parts and path.parts[0].endswith(":")):
            where = f"an entry outside its own folder ({name[:80]!r})"
            raise Unreadable(f"The archive has {where}: pack the folder itself.")
        if any(map(is_clutter, path.parts)) or not path.parts or name.endswith(("/", "\\")):
            return None
        if self._of_class:
            return path if len(path.parts) <= 2 * MAX_ARCHIVE_DEPTH else None
        if not is_file:
            what = "a link, a device or a sparse file"
            raise Unreadable(f"The archive has {what} in it ({name[:80]!r}): pack ordinary files.")
        if len(path.parts) > MAX_ARCHIVE_DEPTH:
            deep = f"folders more than {MAX_ARCHIVE_DEPTH} deep"
            raise Unreadable(f"The archive has {deep}: pack the lesson's folder itself.")
        return path

    def _write(self, target: Path, most: int, content: IO[bytes]) -> None:
        """Writes at most so many bytes of a file. In a class's archive a larger one is cut off after the next byte."""
        target.parent.mkdir(parents=True, exist_ok=True)
        written = 0
        with target.open("xb") as file:
            for data in iter(partial(content.read, CHUNK_BYTES), b""):
                written, self._bytes = written + len(data), self._bytes + len(data)
                file.write(data)
                if written > most:
                    if not self._of_class:
                        limit = f"at most {most:,} bytes are read.{how_to_shrink(target)}"
                        raise Unreadable(f"{target.name} in the archive is too large: {limit}")
                    return  # it is refused where it is read
                if self._bytes > (total := MAX_ARCHIVE_BYTES[self._of_class]):
                    limit = f"more than {total:,} bytes"
                    raise Unreadable(f"The archive unpacks to {limit}: submit the lesson's folder only.")


def check_kind(name: str, file: IO[bytes], most: int) -> None:
    """Raises Unreadable for an archive that is too large, or of a kind that Python's library does not read."""
    size, start = os.fstat(file.fileno()).st_size, file.read(len(LFS_POINTER) + 3)
    file.seek(0)
    refuse_pointer(name, start)
    if size > most:
        raise Unreadable(f"{name} has more than {most:,} bytes, the most that is read.")
    for suffix, kind in UNREAD_ARCHIVES.items():
        if name.lower().endswith(suffix):
            raise Unreadable(f"{name} is {kind}, which is not read: submit a .zip or a .tar.gz.")


def tar_entries(file: IO[bytes]) -> Iterator[Entry]:
    """The first bytes of a tar say how it is compressed, not its suffix."""
    with tarfile.open(fileobj=file, encoding="utf-8", errors="surrogateescape") as tar:
        for entry in tar:
            name = entry.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            is_file = entry.isreg() and not entry.issparse()
            yield f"{name}/" if entry.isdir() else name, is_file, partial(tar.extractfile, entry)  # type: ignore[misc]
