"""Unpacks archives: the Python files and notebooks of a .zip or .tar (.gz, .bz2, .xz), and nothing else.

Only the reading process runs this (archive.py calls it): it is ended when an archive takes too much time or memory,
whatever made it do so. Only ordinary files are written. An archive that tries to reach outside its folder, or to grow
beyond the caps, is refused as a whole; in a whole class's archive, an entry that reaches outside costs its
student alone.
"""

from __future__ import annotations

import bz2
import gzip
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
from pathlib import Path, PurePosixPath
from typing import IO, Any

from grader.intake.submissions.archive_writer import (
    INNER_ARCHIVES,
    MIB,
    ONE,
    WHOLE_CLASS,
    ArchiveRefused,
    ArchiveWriter,
    EntryRefused,
    IncompleteDownload,
    place_of_refusal,
    refuse_pointer,
)
from grader.intake.submissions.file_kinds import open_regular
from grader.source.unparsed import LFS_POINTER

CHUNK_BYTES = 1 << 16
MAX_INNER = 20
"""Archives inside an archive that are read."""
STREAMED_AT_LEAST = 8 * MIB
UNREAD = {".7z": "a 7-Zip archive", ".rar": "a RAR archive", ".tar.zst": "a Zstandard archive"}
"""Archives that Python's library does not read; a sentence says so to the student."""
FOREIGN_MAGIC = {b"7z\xbc\xaf\x27\x1c": ".7z", b"Rar!\x1a\x07": ".rar"}
DECOMPRESSORS: dict[bytes, Callable[[Any], IO[bytes]]] = {
    b"\x1f\x8b": gzip.open,  # type: ignore[dict-item]
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
"""{the first bytes of a compressed file: what opens it}"""
ARCHIVE_ERRORS = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, ValueError, NotImplementedError, RecursionError, OverflowError, IndexError, KeyError, TypeError),
)
"""What Python's readers raise for bytes that are not an archive, or one made to confuse them."""


@dataclass
class Unpacked:
    """What became of an archive.

    Attributes:
        sentence: why it is refused as a whole; "" where it is not.
        is_incomplete: whether the sentence is that of an IncompleteDownload.
        refused: {place of refusal: sentence} of entries left out in a whole class's archive, and of archives inside.
        others: the names of some files that were left out.
        names: the entries' names.
    """

    sentence: str = ""
    is_incomplete: bool = False
    refused: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


# What the reading process is called with; `size` is that of the archives, in bytes ------------------------------------


def unpack_one(path: Path, folder: Path, size: int) -> Unpacked:
    """Unpacks one student's archive into `folder`. An archive inside it becomes a folder of its name."""
    writer = ArchiveWriter(folder, ONE, size)

    def unpack() -> None:
        unpack_archive(path, writer)
        archives = [*map(str, writer.inner), *(name for name in writer.others if name.lower().endswith(tuple(UNREAD)))]
        unpack_inner(writer)
        if archives and not any(each.is_file() for each in folder.rglob("*")):
            holds = f"{path.name} holds no Python file but another archive ({archives[0][:80]!r})"
            raise ArchiveRefused(next(iter(writer.refused.values()), f"{holds}: submit the lesson's folder itself."))

    return unpacking_outcome(writer, unpack)


def unpack_archives(archives: Mapping[str, Path], folder: Path, size: int) -> Unpacked:
    """Unpacks several archives of one student into `folder`, {place in it: archive}, under the limits of one."""
    writer = ArchiveWriter(folder, ONE, size)

    def unpack() -> None:
        for place, path in list(archives.items())[:MAX_INNER]:
            unpack_inside(writer, PurePosixPath(place), path)
        unpack_inner(writer)

    return unpacking_outcome(writer, unpack)


def unpack_class_archive(path: Path, folder: Path, code_page: str | None, size: int) -> Unpacked:
    """Unpacks the archive of a whole class into `folder`, students' own archives as they are."""
    writer = ArchiveWriter(folder, WHOLE_CLASS, size, code_page=code_page)
    return unpacking_outcome(writer, lambda: unpack_archive(path, writer))


def list_entries(path: Path, code_page: str | None, size: int) -> Unpacked:
    """The names of an archive's entries; nothing is written."""
    writer = ArchiveWriter(None, WHOLE_CLASS, size, code_page=code_page)
    return unpacking_outcome(writer, lambda: unpack_archive(path, writer))


def unmarked_names(path: Path, size: int) -> Unpacked:
    """The names in a .zip that are not marked as UTF-8, each byte read as cp437; none where it is not readable."""
    names: list[str] = []
    with suppress(*ARCHIVE_ERRORS, OSError), open(path, "rb", opener=open_regular) as file:
        entries = zipfile.ZipFile(file).infolist() if size <= WHOLE_CLASS.archive else []
        names = [each.orig_filename for each in entries if not each.flag_bits & 0x800]
    return Unpacked(names=names)


def unpacking_outcome(writer: ArchiveWriter, unpack: Callable[[], None]) -> Unpacked:
    """What became of the archive that `unpack` gives to the writer."""
    sentence, is_incomplete = "", False
    try:
        unpack()
    except ArchiveRefused as refused:
        sentence, is_incomplete = str(refused), isinstance(refused, IncompleteDownload)
    except OSError as error:
        sentence = f"The archive cannot be unpacked: {error.strerror or error}."
    return Unpacked(sentence, is_incomplete, writer.refused, writer.others, writer.names)


# From an archive to files ---------------------------------------------------------------------------------------------


def unpack_inner(writer: ArchiveWriter) -> None:
    """Unpacks the archives inside the archive, under its limits. What is an archive inside these is left out."""
    waiting, writer.inner, writer.keeps_archives = list(writer.inner.items()), {}, False
    for prefix, archive in waiting[:MAX_INNER]:
        unpack_inside(writer, prefix, archive)
    if writer.folder is not None:
        shutil.rmtree(writer.folder / INNER_ARCHIVES, ignore_errors=True)


def unpack_inside(writer: ArchiveWriter, prefix: PurePosixPath, archive: Path) -> None:
    """Unpacks an archive into the folder `prefix`. One that is refused does not affect the others."""
    assert writer.folder is not None
    writer.begin_inner(prefix)
    try:
        unpack_archive(archive, writer)
    except (ArchiveRefused, OSError) as refused:
        writer.refused[str(prefix)] = f"In {prefix.name[:80]}: {refused}"
        shutil.rmtree(writer.folder / prefix, ignore_errors=True)
    writer.prefix = PurePosixPath()


def unpack_archive(path: Path, writer: ArchiveWriter) -> None:
    """Gives `writer` every entry of the archive. Raises ArchiveRefused."""
    if writer.archive_bytes > writer.caps.archive:
        raise ArchiveRefused(
            f"{path.name} has {writer.archive_bytes:,} bytes; at most {writer.caps.archive:,} are read."
        )
    with open(path, "rb", opener=open_regular) as file, refuse_damage(path.name):
        start = file.read(len(LFS_POINTER))
        file.seek(0)
        refuse_pointer(path.name, start)
        suffix = FOREIGN_MAGIC.get(start[:6]) or next((s for s in UNREAD if path.name.lower().endswith(s)), "")
        if suffix:
            raise ArchiveRefused(f"{path.name} is {UNREAD[suffix]}, which is not read: submit a .zip or a .tar.gz.")
        (unpack_zip if path.name.lower().endswith(".zip") else unpack_tar)(file, writer)


@contextmanager
def refuse_damage(name: str) -> Iterator[None]:
    """Turns what Python's readers raise for damaged bytes into EntryRefused. An error of the disk stays an OSError."""
    try:
        yield
    except (*ARCHIVE_ERRORS, OSError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        reason = str(error) or type(error).__name__
        raise EntryRefused(f"{name} cannot be unpacked ({reason[:200]}): pack it again and submit again.") from error


def unpack_zip(file: IO[bytes], writer: ArchiveWriter) -> None:
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        if sum(entry.compress_size for entry in entries) > os.fstat(file.fileno()).st_size:
            raise ArchiveRefused("The archive's entries overlap each other: pack ordinary files.")
        for entry in entries:
            name, kind = zip_name(entry, writer.code_page), stat.S_IFMT(entry.external_attr >> 16)
            is_file, is_folder = kind in (0, stat.S_IFREG), name.endswith(("/", "\\"))
            unpack_entry(writer, name, is_file, is_folder, partial(open_zip_entry, archive, entry))


def zip_name(entry: zipfile.ZipInfo, code_page: str | None) -> str:
    """The entry's name: as UTF-8 where the entry says so; else in the code page, or as UTF-8 if it can be read so."""
    for encoding in () if entry.flag_bits & 0x800 else (code_page or "utf-8", "utf-8"):
        with suppress(UnicodeError):
            return entry.orig_filename.encode("cp437").decode(encoding)
    return entry.orig_filename


def open_zip_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    if entry.flag_bits & 1:
        raise EntryRefused("The archive is locked with a password: pack it without one.")
    return archive.open(entry)


def unpack_tar(file: IO[bytes], writer: ArchiveWriter) -> None:
    """The file's first bytes say how it is compressed, not its suffix."""
    start = file.read(6)
    file.seek(0)
    magic = next(filter(start.startswith, DECOMPRESSORS), None)
    stream = CountedStream(file if magic is None else DECOMPRESSORS[magic](file), writer)
    with tarfile.open(fileobj=stream, mode="r|", encoding="utf-8", errors="surrogateescape") as tar:  # type: ignore[call-overload]
        for entry in tar:
            is_file = entry.isreg() and not entry.issparse()
            unpack_entry(writer, decoded_name(entry.name), is_file, entry.isdir(), partial(open_tar_entry, tar, entry))


def open_tar_entry(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(entry)
    assert content is not None  # it is a file
    return content


def decoded_name(name: str) -> str:
    """A name as UTF-8, else as Latin-1, in which every byte is a letter."""
    raw = name.encode("utf-8", "surrogateescape")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


class CountedStream:
    """A tar's bytes. Raises ArchiveRefused once they are more than the caps allow."""

    def __init__(self, stream: IO[bytes], writer: ArchiveWriter) -> None:
        self._stream, self._count = stream, 0
        self._most = int(min(writer.caps.streamed, max(STREAMED_AT_LEAST, writer.caps.ratio * writer.archive_bytes)))

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._count += len(data)
        if self._count > self._most:
            raise ArchiveRefused(
                f"The archive unpacks to more than {self._most:,} bytes: submit the lesson's folder only."
            )
        return data


def unpack_entry(
    writer: ArchiveWriter, name: str, is_file: bool, is_folder: bool, open_content: Callable[[], IO[bytes]]
) -> None:
    """Writes one entry. In a whole class's archive the writer keeps a refusal for its student; else it is raised."""
    try:
        place = writer.place(name, is_file, is_folder)
        if place is not None:
            with refuse_damage(name[:80]), open_content() as content:
                writer.write(place, iter(partial(content.read, CHUNK_BYTES), b""))
    except EntryRefused as refused:
        if not writer.caps.whole_class:
            raise
        writer.refused.setdefault(place_of_refusal(name), str(refused))
