"""Archives as submissions: the Python files and notebooks of a .zip or .tar(.gz), unpacked under caps.

Nothing but regular `.py` and `.ipynb` files is ever written, in a fresh folder; names are checked before anything is
read. An archive that tries to reach outside its folder, or to grow beyond the caps, is refused as a whole.
"""

from __future__ import annotations

import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

MOST_ARCHIVE_BYTES = 64 << 20
MOST_ENTRIES = 10_000
MOST_FILES = 500
MOST_FILE_BYTES = {".py": 1 << 20, ".ipynb": 20 << 20}  # a notebook has pictures in it
MOST_UNPACKED_BYTES = {".py": 16 << 20, ".ipynb": 40 << 20}  # written, all files of a kind together
MOST_STREAMED_BYTES = 256 << 20  # passed over in a compressed tar to get at the files
MOST_DEPTH = 10
SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar")


class ArchiveRefused(Exception):
    """An archive that is not unpacked. The text is a sentence for the student."""


def is_archive(path: Path) -> bool:
    return path.name.lower().endswith(SUFFIXES)


def stem(path: Path) -> str:
    """The name without its archive suffix: ada.tar.gz is ada's."""
    for suffix in SUFFIXES:
        if path.name.lower().endswith(suffix):
            return path.name[: -len(suffix)] or path.name
    return path.stem


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """A folder, gone afterwards, that holds the archive's Python files. Raises ArchiveRefused."""
    if path.stat().st_size > MOST_ARCHIVE_BYTES:
        raise ArchiveRefused(f"{path.name} has {path.stat().st_size:,} bytes; at most {MOST_ARCHIVE_BYTES:,} are read.")
    with tempfile.TemporaryDirectory(prefix="submission-") as folder:
        try:
            writer = Writer(Path(folder))
            if path.name.lower().endswith(".zip"):
                read_zip(path, writer)
            else:
                read_tar(path, writer)
        except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, ValueError, NotImplementedError) as error:
            raise ArchiveRefused(
                f"{path.name} cannot be unpacked ({error}): pack it again and hand in again."
            ) from error
        except RuntimeError as error:  # zipfile's way of saying that a password is needed
            raise ArchiveRefused(f"{path.name} cannot be unpacked ({error}): pack it without a password.") from error
        yield Path(folder)


class Writer:
    """Takes an archive's entries one by one and writes those that are wanted. Raises ArchiveRefused at a cap."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._entries = folder, 0
        self._bytes = dict.fromkeys(MOST_FILE_BYTES, 0)
        self._taken: set[str] = set()

    def wanted(self, name: str, regular: bool, folder: bool) -> PurePosixPath | None:
        """Where an entry belongs, or None when it is of no interest."""
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            raise ArchiveRefused(
                f"The archive has more than {MOST_ENTRIES:,} entries: hand in the lesson's folder only."
            )
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or "\0" in name or (path.parts and path.parts[0].endswith(":")):
            raise ArchiveRefused(
                f"The archive has an entry outside its own folder ({name[:80]!r}): pack the folder itself."
            )
        if not regular and not folder:
            raise ArchiveRefused(f"The archive has a link or a device in it ({name[:80]!r}): pack ordinary files.")
        clutter = any(part.startswith((".", "__MACOSX")) for part in path.parts)
        if folder or clutter or path.suffix not in MOST_FILE_BYTES:
            return None
        if len(path.parts) > MOST_DEPTH:
            raise ArchiveRefused(
                f"The archive has folders more than {MOST_DEPTH} deep: pack the lesson's folder itself."
            )
        if str(path).lower() in self._taken:
            raise ArchiveRefused(f"The archive has {name[:80]!r} twice: which one is meant?")
        self._taken.add(str(path).lower())
        if len(self._taken) > MOST_FILES:
            raise ArchiveRefused(
                f"The archive has more than {MOST_FILES} Python files: hand in the lesson's folder only."
            )
        return path

    def write(self, path: PurePosixPath, source: IO[bytes]) -> None:
        most = MOST_FILE_BYTES[path.suffix]
        data = source.read(most + 1)
        self._bytes[path.suffix] += len(data)
        if len(data) > most or self._bytes[path.suffix] > MOST_UNPACKED_BYTES[path.suffix]:
            raise ArchiveRefused(f"{path.name} in the archive is too large: at most {most:,} bytes are read.")
        target = self._folder.joinpath(*path.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def read_zip(path: Path, writer: Writer) -> None:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            mode = entry.external_attr >> 16
            kind = stat.S_IFMT(mode)
            place = writer.wanted(entry.filename, kind in (0, stat.S_IFREG), entry.is_dir())
            if place is not None:
                with archive.open(entry) as source:
                    writer.write(place, source)


def read_tar(path: Path, writer: Writer) -> None:
    passed = 0
    with tarfile.open(path, "r|*") as archive:
        for entry in archive:
            passed += entry.size
            if passed > MOST_STREAMED_BYTES:
                raise ArchiveRefused(f"{path.name} unpacks to more than {MOST_STREAMED_BYTES:,} bytes.")
            place = writer.wanted(entry.name, entry.isreg(), entry.isdir())
            if place is not None and (source := archive.extractfile(entry)) is not None:
                writer.write(place, source)
