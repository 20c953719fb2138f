"""Archives as submissions: the Python files and notebooks of a .zip or .tar (.gz, .bz2, .xz), unpacked under caps.

Only regular files are ever written, in a fresh folder; names are checked before anything is read. An archive
that tries to reach outside its folder, or to grow beyond the caps, is refused as a whole; in a whole class's
archive, an entry that reaches outside costs its student alone.
"""

from __future__ import annotations

import io
import lzma
import shutil
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath

from grader.intake.submissions.file_kinds import open_regular, stem_of
from grader.intake.submissions.tar_entries import read_entries
from grader.intake.submissions.tarball import open_tar
from grader.intake.submissions.unpacking import (
    CHUNK_BYTES,
    INNER_ARCHIVES,
    MIB,
    ArchiveRefused,
    ArchiveWriter,
    Caps,
    EntryRefused,
    decoded_name,
    place_of_refusal,
    refuse_pointer,
)
from grader.source.unparsed import LFS_POINTER

MAX_ARCHIVE_DEPTH = 10
MAX_INNER = 20  # archives inside an archive
METADATA = "submission_metadata.yml"  # of Gradescope's export
ARCHIVE_SUFFIXES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz")
SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar")
UNREAD = {".7z": "a 7-Zip archive", ".rar": "a RAR archive", ".tar.zst": "a Zstandard archive"}
"""Archives that Python's library does not read; a sentence says so to the student."""
FOREIGN_MAGIC = {b"7z\xbc\xaf\x27\x1c": ".7z", b"Rar!\x1a\x07": ".rar"}

ONE = Caps(
    archive=64 * MIB,
    directory=2 * MIB,
    headers=24 * MIB,
    entries=10_000,
    files=500,
    depth=MAX_ARCHIVE_DEPTH,
    file={".py": MIB, ".ipynb": 20 * MIB, ".toml": MIB},  # a notebook has pictures in it; .toml: answers
    unpacked={".py": 16 * MIB, ".ipynb": 40 * MIB, ".toml": 16 * MIB},
    streamed=256 * MIB,
    ratio=200,
    seconds=60.0,
    seconds_per_mib=5.0,
    inner=SUFFIXES,
)
WHOLE_CLASS = Caps(
    archive=4096 * MIB,
    directory=16 * MIB,
    headers=256 * MIB,
    entries=100_000,
    files=100_000,
    depth=2 * MAX_ARCHIVE_DEPTH,
    file={**ONE.file, **dict.fromkeys(ARCHIVE_SUFFIXES, ONE.archive), ".yml": 64 * MIB},
    unpacked=dict.fromkeys((*ONE.file, *ARCHIVE_SUFFIXES, ".yml"), 4096 * MIB),
    streamed=8192 * MIB,
    ratio=float("inf"),
    seconds=100.0,
    seconds_per_mib=20.0,
    whole_class=True,
)

ARCHIVE_ERRORS = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, ValueError, NotImplementedError, RecursionError, OverflowError, IndexError, KeyError),
)
"""What Python's readers raise for bytes that are not an archive, or one made to confuse them."""


def is_archive(path: Path) -> bool:
    """Whether a path is named like an archive; one of a kind that is not read is refused with a sentence."""
    return path.name.lower().endswith((*SUFFIXES, *UNREAD))


def without_suffix(path: Path) -> str:
    """The name without its archive suffix: ada.tar.gz is ada's."""
    for suffix in (*SUFFIXES, *UNREAD):
        if path.name.lower().endswith(suffix):
            return path.name[: -len(suffix)] or path.name
    return stem_of(path) or path.stem


@contextmanager
def unpacked(path: Path, others: list[str] | None = None) -> Iterator[Path]:
    """A temporary folder with the Python files and notebooks of one student's archive. Raises ArchiveRefused.

    An archive inside the archive becomes a folder of its name. `others` receives the names of some other files.
    """
    with tempfile.TemporaryDirectory(prefix="submission-") as folder:
        place = Path(folder).resolve()
        writer = ArchiveWriter(place, ONE, path.stat().st_size)
        unpack_archive(path, writer)
        unpack_inner(writer)
        if writer.archives and not any(each.is_file() for each in place.rglob("*")):
            raise ArchiveRefused(
                next(iter(writer.refused.values()), "")
                or f"{path.name} holds no Python file but another archive ({writer.archives[0][:80]!r}): submit the "
                "lesson's folder itself."
            )
        if others is not None:
            others += writer.others
        yield place


def unpack_inner(writer: ArchiveWriter) -> None:
    """Unpacks the archives inside the archive, under its limits. One that is refused does not affect the others.

    What is an archive inside these is left out.
    """
    caps, waiting = writer.caps, list(writer.inner.items())
    writer.caps = replace(caps, inner=())
    for prefix, archive in waiting[:MAX_INNER]:
        writer.begin_inner(prefix)
        try:
            unpack_archive(archive, writer)
        except ArchiveRefused as refused:
            writer.refused[str(prefix)] = f"In {prefix.name[:80]}: {refused}"
            shutil.rmtree(writer.folder / prefix, ignore_errors=True)
    writer.caps, writer.prefix, writer.inner = caps, PurePosixPath(), {}
    shutil.rmtree(writer.folder / INNER_ARCHIVES, ignore_errors=True)


def unpack_together(archives: Mapping[str, Path], folder: Path) -> dict[str, str]:
    """Unpacks several archives of one student into `folder`, {place in it: archive}, under the limits of one.

    Returns {place: sentence} of those that were refused.
    """
    writer = ArchiveWriter(folder, ONE, sum(path.stat().st_size for path in archives.values()))
    for place, path in list(archives.items())[:MAX_INNER]:
        writer.begin_inner(PurePosixPath(place))
        try:
            unpack_archive(path, writer)
        except (ArchiveRefused, OSError) as refused:
            writer.refused[place] = str(refused)
            shutil.rmtree(folder / place, ignore_errors=True)
    unpack_inner(writer)
    return writer.refused


def archive_names(path: Path, code_page: str | None = None) -> list[str]:
    """The names of an archive's entries, without unpacking any. Raises ArchiveRefused."""
    lister = NameLister(Path(), WHOLE_CLASS, path.stat().st_size, code_page=code_page)
    unpack_archive(path, lister)
    return lister.names


@dataclass
class NameLister(ArchiveWriter):
    """Writes nothing, and collects every name."""

    names: list[str] = field(default_factory=list)

    def place(self, name: str, regular: bool, folder: bool) -> PurePosixPath | None:
        if super().place(name, regular, folder) is not None:
            self.names.append(name.replace("\\", "/"))
        return None


def unpack_class(path: Path, folder: Path, code_page: str | None = None) -> dict[Path, str]:
    """Unpacks the archive of a whole class into `folder`, students' own archives as they are.

    Returns {place: sentence} of the entries left out: one student's bad file does not affect the others. Raises
    ArchiveRefused.
    """
    writer = ArchiveWriter(folder, WHOLE_CLASS, path.stat().st_size, code_page=code_page)
    unpack_archive(path, writer)
    refused = {folder / place: sentence for place, sentence in writer.refused.items()}
    for place in refused:
        with suppress(OSError):  # a name that no disk takes; the student may have submitted another file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
    return refused


def unpack_archive(path: Path, writer: ArchiveWriter) -> None:
    """Gives `writer` every entry of the archive. Raises ArchiveRefused."""
    if writer.archive_bytes > writer.caps.archive:
        raise ArchiveRefused(
            f"{path.name} has {writer.archive_bytes:,} bytes; at most {writer.caps.archive:,} are read."
        )
    with open(path, "rb", opener=open_regular) as file:
        magic = file.read(len(LFS_POINTER))
    refuse_pointer(path.name, magic)
    kind = FOREIGN_MAGIC.get(magic[:6]) or next(
        (suffix for suffix in UNREAD if path.name.lower().endswith(suffix)), None
    )
    if kind is not None:
        raise ArchiveRefused(f"{path.name} is {UNREAD[kind]}, which is not read: submit a .zip or a .tar.gz.")
    with refuse_damage(path.name):
        (read_zip if path.name.lower().endswith(".zip") else read_tar)(path, writer)


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


def unpack_entry(
    writer: ArchiveWriter, name: str, regular: bool, folder: bool, content: Callable[[], Iterable[bytes]]
) -> None:
    """Writes one entry. In a whole class's archive the writer keeps a refusal for its student; else it is raised."""
    if name.lower().endswith((*SUFFIXES, *UNREAD)):
        writer.archives.append(name)
    try:
        place = writer.place(name, regular, folder)
        if place is not None:
            with refuse_damage(name[:80]):
                writer.write(place, content())
    except EntryRefused as refused:
        if not writer.caps.whole_class:
            raise
        writer.refused.setdefault(place_of_refusal(name), str(refused))


class BoundedFile(io.FileIO):
    """A file that gives at most `most` bytes per call: zipfile reads an archive's whole directory in one call."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(path, opener=open_regular)
        self._most = most

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(self._most + 1 if size is None or size < 0 else min(size, self._most + 1))
        if len(data) > self._most:
            raise ArchiveRefused("The archive's list of entries is too large: submit the lesson's folder only.")
        return data


def read_zip(path: Path, writer: ArchiveWriter) -> None:
    with BoundedFile(path, writer.caps.directory) as file, zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        if sum(entry.compress_size for entry in entries) > path.stat().st_size:
            raise ArchiveRefused("The archive's entries overlap each other: pack ordinary files.")
        for entry in entries:
            name = zip_name(entry, writer.code_page)
            kind = stat.S_IFMT(entry.external_attr >> 16)
            regular, folder = kind in (0, stat.S_IFREG), name.endswith(("/", "\\"))
            unpack_entry(writer, name, regular, folder, partial(zip_content, archive, entry))


def zip_name(entry: zipfile.ZipInfo, code_page: str | None) -> str:
    """The entry's name: as UTF-8 where the entry says so; else in the code page, or as UTF-8 if it can be read so."""
    for encoding in () if entry.flag_bits & 0x800 else (code_page or "utf-8", "utf-8"):
        with suppress(UnicodeError):
            return entry.orig_filename.encode("cp437").decode(encoding)
    return entry.orig_filename


def zip_content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    if entry.flag_bits & 1:
        raise EntryRefused("The archive is locked with a password: pack it without one.")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # zipfile decompresses a piece of any other kind as a whole, whatever its size
        raise EntryRefused("The archive uses a compression that is not read: pack an ordinary .zip.")
    return iter(partial(archive.open(entry).read, CHUNK_BYTES), b"")


def read_tar(path: Path, writer: ArchiveWriter) -> None:
    with open_tar(path, writer.caps, writer.clock) as stream:
        for entry in read_entries(stream):
            content = partial(stream.content, entry.size)
            unpack_entry(writer, decoded_name(entry.name), entry.regular, entry.folder, content)
