"""Unpacks archives: the Python files, notebooks and answers of a .zip or .tar (.gz, .bz2, .xz), and nothing else.

Only the reading process runs this (archive.py calls it). Its limits of processor time and memory end it, whatever made
an archive take too much; the limits here are of what comes to the disk. Only ordinary files are written, below the
folder that is given.
"""

from __future__ import annotations

import lzma
import os
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import IO

from grader.errors import UserError
from grader.intake.submissions.file_kinds import (
    ARCHIVE_SUFFIXES,
    MIB,
    UNREAD_ARCHIVES,
    is_clutter,
    open_regular,
    suffix_of,
    too_large_advice,
)
from grader.intake.submissions.people import fold_case
from grader.source.unparsed import LFS_POINTER

CHUNK_BYTES = 1 << 16
MAX_ARCHIVE_BYTES = {False: 64 * MIB, True: 4096 * MIB}
"""{whether it is a whole class's: bytes of the archive, and of all that comes out of it}"""
MAX_ENTRIES = {False: 10_000, True: 100_000}
MAX_FOLDER_DEPTH = {False: 10, True: 20}
MAX_BYTES = {".py": MIB, ".ipynb": 20 * MIB, ".toml": MIB}
"""Of one file that comes out of an archive, by its suffix; other kinds stay inside."""
MAX_OTHERS = 20
MAX_REFUSED_DEPTH = 4
"""Folders that are made for a refused entry, to say whose it is: one student's entries may be many, and deep."""
FOREIGN_MAGIC = {b"7z\xbc\xaf\x27\x1c": ".7z", b"Rar!\x1a\x07": ".rar"}
DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, ValueError, NotImplementedError, RecursionError, OverflowError, IndexError, KeyError, TypeError),
)
"""What Python's readers raise for bytes that are not an archive, or one made to confuse them."""


class ArchiveRefused(UserError):
    """An archive is not unpacked. The text is a sentence for the student."""


class EntryRefused(ArchiveRefused):
    """The same because of one entry, which in a whole class's archive affects only its student."""


class IncompleteDownload(ArchiveRefused):
    """A file that the download does not contain, which is not its student's fault. The text is a sentence."""


def refuse_pointer(name: str, start: bytes) -> None:
    """Raise IncompleteDownload if the file that begins like this only says where Git LFS keeps the file."""
    if start.removeprefix(b"\xef\xbb\xbf").startswith(LFS_POINTER.encode()):
        raise IncompleteDownload(
            f"{name} is a Git LFS pointer, not the file itself: run `git lfs pull` in the download, and grade again."
        )


@dataclass
class Unpacked:
    """What became of archives.

    Attributes:
        sentence: why they are refused as a whole; "" where they are not.
        refused: {place: sentence} of entries left out in a whole class's archive, and of archives inside an archive.
        others: the names of some files that were left out.
        names: the names of the entries that are files.
        is_incomplete: whether the archive itself is not in the download.
    """

    sentence: str = ""
    refused: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    is_incomplete: bool = False


def unpack_archives(
    archives: Mapping[str, Path], folder: Path | None, whole_class: bool, code_page: str | None = None
) -> Unpacked:
    """Unpacks archives into `folder`, {place in it: archive}, under the limits of one; without a folder lists them.

    Of one student's, the archives inside become folders of their names. One of several that is refused does not affect
    the others. A whole class's archive keeps its students' archives as they are. `code_page` is that of names in a
    .zip which are not marked as UTF-8.
    """
    unpacking = Unpacking(folder, whole_class, code_page)
    waiting = [(PurePosixPath(place), path) for place, path in archives.items()]
    try:
        for is_inside in (False, True):
            for place, path in waiting:
                unpacking.open(place, path, may_refuse=not is_inside and len(waiting) == 1)
                if is_inside:
                    path.unlink()
            waiting, unpacking.inner = unpacking.inner, []
            if folder is None or whole_class:
                break
            waiting = [(place, path.rename(folder / f".{number}")) for number, (place, path) in enumerate(waiting)]
            unpacking.keeps_archives = False
    except (ArchiveRefused, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        unpacking.found.is_incomplete = isinstance(error, IncompleteDownload)
        unpacking.found.sentence = f"The archive cannot be unpacked: {reason}." if reason else str(error)
    return unpacking.found


class Unpacking:
    """The entries of archives, written below `folder`; what is written is counted for all of them together."""

    def __init__(self, folder: Path | None, whole_class: bool, code_page: str | None) -> None:
        self.folder, self.whole_class, self.found = folder, whole_class, Unpacked()
        self._code_page = code_page
        self.inner: list[tuple[PurePosixPath, Path]] = []
        self.keeps_archives = True
        self._entries = self._bytes = 0
        self._places: set[str] = set()

    def open(self, place: PurePosixPath, path: Path, may_refuse: bool) -> None:
        """Unpacks one archive into the folder `place`. Raises ArchiveRefused, OSError if it `may_refuse`."""
        own_name = place.name or path.name
        try:
            with open(path, "rb", opener=open_regular) as file, as_refusal(own_name):
                check_kind(own_name, file, MAX_ARCHIVE_BYTES[self.whole_class])
                for name, is_file, is_folder, content in entries_of(
                    file, own_name.lower().endswith(".zip"), self._code_page
                ):
                    self._entry(place, name, is_file, is_folder, content)
        except (ArchiveRefused, OSError) as error:
            if may_refuse:
                raise
            self.found.refused[str(place)] = f"In {place.name[:80]}: {error}"
            if self.folder is not None:
                shutil.rmtree(self.folder / place, ignore_errors=True)

    def _entry(
        self, place: PurePosixPath, name: str, is_file: bool, is_folder: bool, content: Callable[[], IO[bytes]]
    ) -> None:
        self._entries += 1
        if self._entries > MAX_ENTRIES[self.whole_class]:
            raise ArchiveRefused(
                f"The archive has more than {MAX_ENTRIES[self.whole_class]:,} entries: submit the lesson's folder only."
            )
        try:
            path = self._place(name, is_file, is_folder)
            if path is None:
                return
            self.found.names.append(str(path))
            if self.folder is not None:
                with as_refusal(name[:80]), content() as data:
                    self._write(place / path, data)
        except (EntryRefused, OSError) as refused:
            if not self.whole_class or (isinstance(refused, EntryRefused) and not place_of_refusal(name)):
                raise
            self.found.refused.setdefault(place_of_refusal(name), str(refused))

    def _place(self, name: str, is_file: bool, is_folder: bool) -> PurePosixPath | None:
        """Where an entry is written; None where it is left out. Raises EntryRefused."""
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or "\0" in name or (path.parts and path.parts[0].endswith(":")):
            raise EntryRefused(
                f"The archive has an entry outside its own folder ({name[:80]!r}): pack the folder itself."
            )
        if any(map(is_clutter, path.parts)) or not path.parts or is_folder:
            return None
        if not is_file:
            raise EntryRefused(
                f"The archive has a link, a device or a sparse file in it ({name[:80]!r}): pack ordinary files."
            )
        if not (self.whole_class or suffix_of(path) in MAX_BYTES or self._is_inner(path)):
            self.found.others += [path.name] if len(self.found.others) < MAX_OTHERS else []
            return None
        if len(path.parts) > MAX_FOLDER_DEPTH[self.whole_class]:
            raise EntryRefused(
                f"The archive has folders more than {MAX_FOLDER_DEPTH[self.whole_class]} deep: pack the lesson's "
                "folder itself."
            )
        return path

    def _is_inner(self, path: PurePosixPath) -> bool:
        return self.keeps_archives and path.name.lower().endswith(ARCHIVE_SUFFIXES)

    def _write(self, path: PurePosixPath, content: IO[bytes]) -> None:
        """Writes a file piece by piece. In a class's archive a file of another kind is written empty."""
        assert self.folder is not None
        if fold_case(str(path)) in self._places:
            raise EntryRefused(
                f"The archive has {str(path)[:80]!r} twice, if capitals and accents do not count: which one is meant?"
            )
        self._places.add(fold_case(str(path)))
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        is_archive, suffix = self._is_inner(path), suffix_of(path)
        most = MAX_ARCHIVE_BYTES[False] if is_archive else MAX_BYTES.get(suffix, 64 * MIB if suffix == ".yml" else 0)
        written = 0
        with target.open("xb") as file:
            for data in iter(partial(content.read, CHUNK_BYTES), b"") if most else ():
                written, self._bytes = written + len(data), self._bytes + len(data)
                if written > most:
                    file.truncate(0)
                    limit = f"at most {most:,} bytes are read.{too_large_advice(path)}"
                    raise EntryRefused(f"{path.name} in the archive is too large: {limit}")
                if self._bytes > MAX_ARCHIVE_BYTES[self.whole_class]:
                    raise ArchiveRefused(
                        f"The archive unpacks to more than {MAX_ARCHIVE_BYTES[self.whole_class]:,} bytes: submit the "
                        "lesson's folder only."
                    )
                file.write(data)
        if is_archive:
            self.inner.append((path, target))


def check_kind(name: str, file: IO[bytes], most: int) -> None:
    """Raises ArchiveRefused for an archive that is too large, or of a kind that Python's library does not read."""
    size, start = os.fstat(file.fileno()).st_size, file.read(len(LFS_POINTER) + 3)
    file.seek(0)
    refuse_pointer(name, start)
    if size > most:
        raise ArchiveRefused(f"{name} has {size:,} bytes; at most {most:,} are read.")
    suffix = FOREIGN_MAGIC.get(start[:6]) or next((s for s in UNREAD_ARCHIVES if name.lower().endswith(s)), "")
    if suffix:
        raise ArchiveRefused(f"{name} is {UNREAD_ARCHIVES[suffix]}, which is not read: submit a .zip or a .tar.gz.")


@contextmanager
def as_refusal(name: str) -> Iterator[None]:
    """Turns what Python's readers raise for damaged bytes into EntryRefused. An error of the disk stays an OSError."""
    try:
        yield
    except (*DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        reason = str(error) or type(error).__name__
        raise EntryRefused(f"{name} cannot be unpacked ({reason[:200]}): pack it again and submit again.") from error


def entries_of(
    file: IO[bytes], is_zip: bool, code_page: str | None
) -> Iterator[tuple[str, bool, bool, Callable[[], IO[bytes]]]]:
    """(name, whether it is an ordinary file, whether it is a folder, what opens it) of each entry.

    The first bytes of a tar say how it is compressed, not its suffix.
    """
    if is_zip:
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                kind, name = stat.S_IFMT(entry.external_attr >> 16), zip_name(entry, code_page)
                yield name, kind in (0, stat.S_IFREG), name.endswith(("/", "\\")), partial(open_zipped, archive, entry)
    else:
        with tarfile.open(fileobj=file, encoding="utf-8", errors="surrogateescape") as tar:
            for each in tar:
                name = each.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
                yield name, each.isreg() and not each.issparse(), each.isdir(), partial(open_tarred, tar, each)
                tar.members.clear()  # type: ignore[attr-defined]


def zip_name(entry: zipfile.ZipInfo, code_page: str | None) -> str:
    """The entry's name: without a mark that says UTF-8, in the `code_page`, else as UTF-8, else as cp437."""
    if not entry.flag_bits & 0x800:
        with suppress(UnicodeError):
            return entry.orig_filename.encode("cp437").decode(code_page or "utf-8")
    return entry.orig_filename


def open_zipped(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    if entry.flag_bits & 1:
        raise EntryRefused("The archive is locked with a password: pack it without one.")
    return archive.open(entry)


def open_tarred(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(entry)
    assert content is not None  # it is a file
    return content


def place_of_refusal(name: str) -> str:
    """Where an empty file says that an entry of a whole class's archive was refused; "" where nobody's folder is named.

    That is the entry's own place, or a file in the last folder before one that leads outside or is too deep.
    """
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or parts[0].endswith(":"):
        return ""
    safe = list(takewhile(lambda part: part != ".." and "\0" not in part, parts))[:MAX_REFUSED_DEPTH]
    return "/".join(safe if len(safe) in (0, len(parts)) else [*safe, "refused"])
