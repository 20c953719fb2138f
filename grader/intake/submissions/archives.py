"""Archives as submissions: a .zip or .tar (.gz, .bz2, .xz) of one student, or of a whole class.

The reading process unpacks them with Python's library, so a hostile archive costs that process, a few seconds and a
sentence: its limits of processor time and memory end it. The limits here are of what comes to the disk: ordinary files
below the given folder, of one student only Python files, notebooks, answers and archives.
"""

from __future__ import annotations

import os
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO

from grader.intake.submissions.file_kinds import (
    ARCHIVE_SUFFIXES,
    MAX_ARCHIVE_DEPTH,
    MIB,
    NOTEBOOK,
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
from grader.intake.submissions.people import name_words, rotations
from grader.source.reader import ReadingStopped, source_reader
from grader.source.unparsed import LFS_POINTER

SECONDS, SECONDS_PER_MIB = 3.0, 1.0
"""Processor time for any archive, and for each MiB of it: an ordinary one takes a hundredth."""
CHUNK_BYTES = 1 << 16
MAX_ARCHIVE_BYTES = {False: 64 * MIB, True: 4096 * MIB}
"""{whether it is a whole class's: bytes of the archive, and of all that comes out of it}"""
MAX_ENTRIES = {False: 10_000, True: 100_000}
MAX_METADATA_BYTES = 64 * MIB
MAX_BYTES = {".py": MIB, NOTEBOOK: 20 * MIB, ".toml": MIB}
"""Of one file that comes out of a student's archive, by its suffix; other kinds stay inside."""
MAX_CLASS_BYTES = MAX_BYTES | {".yml": MAX_METADATA_BYTES}
MAX_OTHERS = 20
CODE_PAGES = (
    *("utf-8", "cp437", "cp850", "cp1252", "latin-1", "cp932", "gb18030", "big5", "cp949", "euc_jp"),
    *("cp866", "cp1251", "koi8-r", "cp852", "cp1250", "cp737", "cp1253", "cp857", "cp1254", "cp862", "cp1255"),
    *("cp864", "cp1256", "cp775", "cp1257", "cp1258", "cp874", "mac-roman"),
)
"""Those in which Windows, macOS and packers name entries. Of two that fit equally well, the first is taken."""


@dataclass
class Unpacked:
    """What became of archives.

    Attributes:
        refused: {place: sentence} of archives that are not read.
        others: the names of some files that were left out.
        names: the names of the entries that are files.
        incomplete: which archive is not in the download, a sentence; "" where all are.
    """

    refused: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    incomplete: str = ""


def read_archives(
    archives: Mapping[str, Path], folder: Path | None, whole_class: bool = False, code_page: str | None = None
) -> Unpacked:
    """Unpacks {place below `folder`: archive}, under the limits of one; without a folder only lists them.

    Of one student's, the archives inside become folders of their names. A whole class's archive keeps its students'
    archives as they are, and an empty file for one of another kind and for a link. `code_page` is that of
    names in a .zip which are not marked as UTF-8. Raises Unreadable where a limit is reached, IncompleteDownload.
    """
    seconds = SECONDS + SECONDS_PER_MIB * (sum(path.stat().st_size for path in archives.values()) // MIB)
    try:
        reply = source_reader().call(unpack_archives, dict(archives), folder, whole_class, code_page, seconds=seconds)
    except ReadingStopped as stopped:
        names = ", ".join(path.name for path in archives.values())
        raise Unreadable(f"{names[:80]} cannot be unpacked: {stopped}. Submit the lesson's folder only.") from None
    found = Unpacked(**reply)
    if found.incomplete:
        raise IncompleteDownload(found.incomplete)
    return found


def code_page_of(path: Path, people: Iterable[str]) -> str | None:
    """The code page in which a .zip's names are those of `people`, where they are not marked as UTF-8.

    Of several, it is the one with the most people; None where nobody is named. Raises Unreadable.
    """
    members = [rotations(name_words(each)) for each in people if not each.isascii()]
    if not members or not path.name.lower().endswith(".zip"):
        return None
    listed = read_archives({"": path}, None, whole_class=True, code_page="cp437").names
    names = [name.encode("cp437", "replace") for name in listed]
    parts = {part for name in names for part in name.split(b"/") if not part.isascii()}
    counts = dict.fromkeys(CODE_PAGES, 0)
    for page in CODE_PAGES:
        text = "\n".join("".join(name_words(part.decode(page, "replace"))) for part in sorted(parts))
        counts[page] = sum(any(way in text for way in ways) for ways in members)
    best = max(CODE_PAGES, key=counts.__getitem__)
    return best if counts[best] else None


# In the reading process -----------------------------------------------------------------------------------------------


def unpack_archives(
    archives: Mapping[str, Path], folder: Path | None, whole_class: bool, code_page: str | None
) -> Unpacked:
    """As `read_archives`, without limits of time and memory."""
    unpacking = Unpacking(folder, whole_class, code_page)
    for place, path in archives.items():
        unpacking.open(PurePosixPath(place), path)
    inner, unpacking.unpacks_inner = unpacking.inner, False
    unpacking.inner = {}
    for inside, path in inner.items():
        unpacking.open(inside, path)
        path.unlink()
    return unpacking.found


class Unpacking:
    """Archives that are written below `folder`; what is written is counted for all of them together.

    Attributes:
        inner: {place: path} of the archives inside, of which each gets a name that nothing else has.
    """

    def __init__(self, folder: Path | None, whole_class: bool, code_page: str | None) -> None:
        self.folder, self.whole_class, self.code_page, self.found = folder, whole_class, code_page, Unpacked()
        self.unpacks_inner, self.inner = folder is not None and not whole_class, dict[PurePosixPath, Path]()
        self._entries = self._bytes = 0

    def open(self, place: PurePosixPath, path: Path) -> None:
        """Unpacks one archive into the folder `place`, or says why it is refused."""
        name = place.name or path.name
        try:
            with open(path, "rb", opener=open_regular) as file, as_refusal(name):
                check_kind(name, file, MAX_ARCHIVE_BYTES[self.whole_class])
                entries = zip_entries(file, self.code_page) if name.lower().endswith(".zip") else tar_entries(file)
                for each in entries:
                    self._unpack(place, *each)
        except (Unreadable, IncompleteDownload, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            sentence = f"The archive cannot be unpacked: {reason}." if reason else str(error)
            self.found.refused["/".join(place.parts)] = sentence
            self.found.incomplete = sentence if isinstance(error, IncompleteDownload) else self.found.incomplete
            for inside in [each for each in self.inner if each.is_relative_to(place)]:
                self.inner.pop(inside).unlink(missing_ok=True)
            if self.folder is not None and (self.folder / place).is_dir():
                shutil.rmtree(self.folder / place, ignore_errors=True)
                self.folder.mkdir(exist_ok=True)

    def _unpack(self, place: PurePosixPath, name: str, is_file: bool, opened: Callable[[], IO[bytes]]) -> None:
        """Writes one entry, unless its kind is left out. Raises Unreadable, OSError."""
        self._entries += 1
        if self._entries > MAX_ENTRIES[self.whole_class]:
            most = f"{MAX_ENTRIES[self.whole_class]:,}"
            raise Unreadable(f"The archive has more than {most} entries: submit the lesson's folder only.")
        path = self._checked_place(name, is_file)
        if path is None:
            return
        is_inner = self.unpacks_inner and path.name.lower().endswith(ARCHIVE_SUFFIXES)
        if not (self.whole_class or is_inner or suffix_of(path) in MAX_BYTES):
            self.found.others += [path.name] if len(self.found.others) < MAX_OTHERS else []
            return
        self.found.names.append(str(path))
        if self.folder is not None:
            target = self.folder / f".{self._entries}" if is_inner else self.folder / place / path
            if place / path in self.inner:
                raise Unreadable(f"The archive has {name[:80]!r} twice: which one is meant?")
            self.inner |= {place / path: target} if is_inner else {}
            limit = MAX_ARCHIVE_BYTES[False] if is_archive(path) else MAX_CLASS_BYTES.get(suffix_of(path), 0)
            with as_refusal(name[:80]), opened() if is_file and limit else BytesIO() as content:
                self._write(target, limit, content)

    def _checked_place(self, name: str, is_file: bool) -> PurePosixPath | None:
        """The path of an entry; None for what is left out: folders, clutter, in a class's archive what is too deep.

        Raises Unreadable, in a class's archive only for what is outside: a link is an empty file there.
        """
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or "\0" in name or (path.parts and path.parts[0].endswith(":")):
            where = f"an entry outside its own folder ({name[:80]!r})"
            raise Unreadable(f"The archive has {where}: pack the folder itself.")
        if any(map(is_clutter, path.parts)) or not path.parts or name.endswith(("/", "\\")):
            return None
        if self.whole_class:
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
                    if not self.whole_class:
                        limit = f"at most {most:,} bytes are read.{how_to_shrink(target)}"
                        raise Unreadable(f"{target.name} in the archive is too large: {limit}")
                    return  # it is refused where it is read
                if self._bytes > (total := MAX_ARCHIVE_BYTES[self.whole_class]):
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


@contextmanager
def as_refusal(name: str) -> Iterator[None]:
    """Turns whatever Python's readers raise for damaged bytes into Unreadable. An error of the disk is an OSError."""
    try:
        yield
    except (Unreadable, IncompleteDownload, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        reason = str(error) or type(error).__name__
        raise Unreadable(f"{name} cannot be unpacked ({reason[:200]}): pack it again and submit again.") from error


Entry = tuple[str, bool, Callable[[], IO[bytes]]]
"""(name, whether it is an ordinary file, what opens it). The name of a folder ends in a slash."""


def zip_entries(file: IO[bytes], code_page: str | None) -> Iterator[Entry]:
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            name = entry.orig_filename
            if not entry.flag_bits & 0x800:  # not marked as UTF-8
                with suppress(UnicodeError):
                    name = name.encode("cp437").decode(code_page or "utf-8")
            kind = stat.S_IFMT(entry.external_attr >> 16)
            yield name, kind in (0, stat.S_IFREG), partial(archive.open, entry)


def tar_entries(file: IO[bytes]) -> Iterator[Entry]:
    """The first bytes of a tar say how it is compressed, not its suffix."""
    with tarfile.open(fileobj=file, encoding="utf-8", errors="surrogateescape") as tar:
        for entry in tar:
            name = entry.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            is_file = entry.isreg() and not entry.issparse()
            yield f"{name}/" if entry.isdir() else name, is_file, partial(tar.extractfile, entry)  # type: ignore[misc]
