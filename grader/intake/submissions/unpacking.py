"""What may come out of an archive: names are validated before anything is read, and nothing grows beyond its caps."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path, PurePosixPath

from grader.errors import UserError
from grader.intake.submissions.file_kinds import suffix_of, too_large_advice
from grader.intake.submissions.people import fold_case
from grader.source.unparsed import LFS_POINTER

CHUNK_BYTES = 1 << 16
MIB = 1 << 20
MAX_NAME_BYTES = 200  # disks take 255, and a name may be written longer than it is read
MAX_OTHERS = 20
MAX_REFUSED_DEPTH = 4
"""Folders that are made for a refused entry, to say whose it is: one student's entries may be many, and deep."""
CLUTTER = frozenset({"__pycache__", "__MACOSX", "node_modules", "venv", "site-packages"})
"""Folders that programs make; nothing in them is the student's work."""
DEBRIS = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "$recycle.bin"})
"""What Windows and macOS leave in folders, in small letters."""
RATIO_COUNTS_FROM = MIB  # a small file of one letter is no bomb
INNER_ARCHIVES = ".inner"
"""Where archives inside an archive wait; no entry has a name that begins with a full stop."""
WINDOWS_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
"""Names of devices on Windows, whatever suffix they have."""


def is_clutter(name: str) -> bool:
    """Whether a file or folder of this name is hidden, or made by a program: nobody has submitted it."""
    return name.startswith((".", "~$", "__MACOSX")) or name in CLUTTER or name.lower() in DEBRIS


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


@dataclass(frozen=True)
class Caps:
    """Limits of one archive, in bytes, files and folders.

    Attributes:
        archive: the archive itself.
        directory, headers: a zip's list of entries; all headers of a tar together.
        file, unpacked: {suffix: one file}, {suffix: all files of that kind}; other kinds are not unpacked.
        streamed: the bytes to which a compressed tar is decompressed in the search for files.
        ratio: all unpacked bytes divided by the archive's.
        seconds, seconds_per_mib: of processor time, for any archive and for each MiB of it: a guard, more than twenty
            times what unpacking takes. The other limits decide.
        whole_class: files of other kinds are written empty, and a bad entry does not affect the others.
        inner: the suffixes of archives inside the archive that are kept, to be unpacked as well.
    """

    archive: int
    directory: int
    headers: int
    entries: int
    files: int
    depth: int
    file: Mapping[str, int]
    unpacked: Mapping[str, int]
    streamed: int
    ratio: float
    seconds: float
    seconds_per_mib: float
    whole_class: bool = False
    inner: tuple[str, ...] = ()


class Clock:
    """A limit of processor time for this thread, from now on: one archive must not delay the others."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.thread_time() + seconds

    def enforce(self) -> None:
        """Raises ArchiveRefused after the limit."""
        if time.thread_time() > self._end:
            raise ArchiveRefused(
                f"The archive takes more than {self._seconds:.0f} s to unpack: submit the lesson's folder only."
            )


@dataclass
class ArchiveWriter:
    """Writes the gradable entries of an archive below `folder`. Raises ArchiveRefused at a cap.

    Attributes:
        archive_bytes: the size of the archive itself.
        refused: {place of refusal: sentence} of entries left out, in a whole class's archive.
        archives: the names of archives inside.
        files: how many files were accepted.
        prefix: the folder below `folder` for what is read now; for an archive inside the archive, its name.
        inner: {prefix: place on disk} of the archives inside that wait to be unpacked.
        others: the names of some files that were left out.
        code_page: that of names in a zip which are not marked as UTF-8; None where nobody knows.
    """

    folder: Path
    caps: Caps
    archive_bytes: int
    refused: dict[str, str] = field(default_factory=dict)
    archives: list[str] = field(default_factory=list)
    files: int = 0
    prefix: PurePosixPath = field(default_factory=PurePosixPath)
    inner: dict[PurePosixPath, Path] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    code_page: str | None = None
    clock: Clock = field(init=False)
    _entries: int = 0
    _bytes: dict[str, int] = field(default_factory=dict)
    _places: dict[str, str] = field(default_factory=dict)  # {folded place: the place as written, with / for a folder}

    def __post_init__(self) -> None:
        self.clock = Clock(self.caps.seconds + self.caps.seconds_per_mib * self.archive_bytes / MIB)

    def place(self, name: str, regular: bool, folder: bool) -> PurePosixPath | None:
        """Where an entry is written below `folder`; None where it is left out."""
        self.clock.enforce()
        self._entries += 1
        if self._entries > self.caps.entries:
            raise ArchiveRefused(
                f"The archive has more than {self.caps.entries:,} entries: submit the lesson's folder only."
            )
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or "\0" in name or (path.parts and path.parts[0].endswith(":")):
            refusal = EntryRefused if place_of_refusal(name) else ArchiveRefused
            raise refusal(f"The archive has an entry outside its own folder ({name[:80]!r}): pack the folder itself.")
        if any(map(is_clutter, path.parts)) or not path.parts:
            return None
        if not regular and not folder:
            raise EntryRefused(
                f"The archive has a link, a device or a sparse file in it ({name[:80]!r}): pack ordinary files."
            )
        if folder:
            return None
        if not (self.caps.whole_class or suffix_of(path) in self.caps.file or self._is_inner(path)):
            self.others += [path.name] if len(self.others) < MAX_OTHERS else []
            return None
        path = self.prefix / path
        self._validate(path, name)
        return path

    def _is_inner(self, path: PurePosixPath) -> bool:
        return path.name.lower().endswith(self.caps.inner)

    def _validate(self, path: PurePosixPath, name: str) -> None:
        if len(path.parts) > self.caps.depth:
            raise EntryRefused(
                f"The archive has folders more than {self.caps.depth} deep: pack the lesson's folder itself."
            )
        if any(len(part.encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES for part in path.parts):
            raise EntryRefused(f"The archive has a name of more than {MAX_NAME_BYTES} bytes ({name[:40]!r} ...).")
        if any(part.partition(".")[0].strip().lower() in WINDOWS_DEVICES for part in path.parts):
            raise EntryRefused(f"The archive has a name that Windows keeps for a device ({name[:80]!r}): rename it.")
        for parent in list(path.parents)[-2::-1]:
            self._reserve(f"{parent}/", name)
        if fold_case(str(path)) in self._places:
            raise EntryRefused(
                f"The archive has {name[:80]!r} twice, if capitals and accents do not count: which one is meant?"
            )
        self._reserve(str(path), name)
        self.files += 1
        if self.files > self.caps.files:
            kind = "files" if self.caps.whole_class else "Python files"
            raise ArchiveRefused(
                f"The archive has more than {self.caps.files:,} {kind}: submit the lesson's folder only."
            )

    def begin_inner(self, prefix: PurePosixPath) -> None:
        """Unpack into the folder `prefix` from now on, in the place of an archive of that name."""
        self.prefix = prefix
        self._places.pop(fold_case(str(prefix)), None)

    def _reserve(self, place: str, name: str) -> None:
        known = self._places.setdefault(fold_case(place).rstrip("/"), place)
        if known != place:
            raise EntryRefused(
                f"The archive has {known[:80]!r} and {name[:80]!r}, which are one name on many disks: rename one."
            )

    def write(self, path: PurePosixPath, content: Iterable[bytes]) -> None:
        """Writes a file piece by piece, so that memory holds only one piece."""
        target = self.folder.joinpath(*path.parts)
        most = self.caps.file.get(suffix_of(path), 0)
        if self._is_inner(path):
            target = self.folder / INNER_ARCHIVES / str(len(self._places)) / path.name
            self.inner[path], most = target, self.caps.archive
        target.parent.mkdir(parents=True, exist_ok=True)
        written = 0
        with target.open("wb") as file:
            for data in content if most else ():
                self.clock.enforce()
                written += len(data)
                if written > most:
                    file.truncate(0)
                    limit = f"at most {most:,} bytes are read.{too_large_advice(path)}"
                    raise EntryRefused(f"{path.name} in the archive is too large: {limit}")
                self._count(path, len(data))
                file.write(data)

    def _count(self, path: PurePosixPath, size: int) -> None:
        suffix = suffix_of(path)
        total = self._bytes[suffix] = self._bytes.get(suffix, 0) + size
        most = self.caps.unpacked.get(suffix, self.caps.archive)
        if total > most:
            raise ArchiveRefused(
                f"The archive's {suffix} files are too large: at most {most:,} bytes are read.{too_large_advice(path)}"
            )
        total = sum(self._bytes.values())
        if total > max(RATIO_COUNTS_FROM, self.caps.ratio * self.archive_bytes):
            raise ArchiveRefused(
                f"The archive unpacks to more than {self.caps.ratio:,g} times its size: submit ordinary files."
            )


def place_of_refusal(name: str) -> str:
    """Where an empty file says that an entry of a whole class's archive was refused; "" where nobody's folder is named.

    That is the entry's own place, or a file in the last folder before one that leads outside or is too deep.
    """
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or parts[0].endswith(":"):
        return ""
    safe = list(takewhile(lambda part: part != ".." and "\0" not in part, parts))[:MAX_REFUSED_DEPTH]
    return "/".join(safe if len(safe) in (0, len(parts)) else [*safe, "refused"])


def decoded_name(name: str | bytes) -> str:
    """A name as UTF-8, else as Latin-1, in which every byte is a letter."""
    raw = name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
