"""What may come out of an archive: names are validated before anything is written, and what is written is counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from grader.errors import UserError
from grader.intake.submissions.file_kinds import is_clutter, suffix_of, too_large_advice
from grader.intake.submissions.people import fold_case
from grader.source.unparsed import LFS_POINTER

MIB = 1 << 20
MAX_ARCHIVE_DEPTH = 10
MAX_NAME_BYTES = 200  # disks take 255, and a name may be written longer than it is read
MAX_OTHERS = 20
RATIO_COUNTS_FROM = MIB  # a small file of one letter is no bomb
SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar")
ARCHIVE_SUFFIXES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz")
"""The same as `suffix_of` gives them."""
INNER_ARCHIVES = ".inner"
"""Where archives inside an archive wait; no entry has a name that begins with a full stop."""
WINDOWS_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
"""Names of devices on Windows, whatever suffix they have."""


@dataclass(frozen=True)
class Caps:
    """Limits of one archive, in bytes, files and folders.

    Attributes:
        archive: the archive itself.
        file, unpacked: {suffix: one file}, {suffix: all files of that kind}; other kinds are not unpacked.
        streamed: the bytes to which a compressed tar is decompressed in the search for files.
        ratio: all unpacked bytes divided by the archive's.
        whole_class: files of other kinds are written empty, archives as they are, and a bad entry does not affect the
            others.
    """

    archive: int
    entries: int
    files: int
    depth: int
    file: Mapping[str, int]
    unpacked: Mapping[str, int]
    streamed: int
    ratio: float
    whole_class: bool = False


ONE = Caps(
    archive=64 * MIB,
    entries=10_000,
    files=500,
    depth=MAX_ARCHIVE_DEPTH,
    file={".py": MIB, ".ipynb": 20 * MIB, ".toml": MIB},  # a notebook has pictures in it; .toml: answers
    unpacked={".py": 16 * MIB, ".ipynb": 40 * MIB, ".toml": 16 * MIB},
    streamed=256 * MIB,
    ratio=200,
)
WHOLE_CLASS = Caps(
    archive=4096 * MIB,
    entries=100_000,
    files=100_000,
    depth=2 * MAX_ARCHIVE_DEPTH,
    file={**ONE.file, **dict.fromkeys(ARCHIVE_SUFFIXES, ONE.archive), ".yml": 64 * MIB},
    unpacked=dict.fromkeys((*ONE.file, *ARCHIVE_SUFFIXES, ".yml"), 4096 * MIB),
    streamed=8192 * MIB,
    ratio=float("inf"),
    whole_class=True,
)


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
class ArchiveWriter:
    """Writes the gradable entries of an archive below `folder`. Raises ArchiveRefused at a cap.

    Attributes:
        folder: None where only the names are wanted.
        archive_bytes: the size of the archive itself.
        code_page: that of names in a zip which are not marked as UTF-8; None where nobody knows.
        refused, others, names: see Unpacked.
        prefix: the folder below `folder` for what is read now; for an archive inside the archive, its name.
        inner: {prefix: place on disk} of the archives inside that wait to be unpacked.
        keeps_archives: whether archives inside the archive are unpacked as well.
    """

    folder: Path | None
    caps: Caps
    archive_bytes: int
    code_page: str | None = None
    refused: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    prefix: PurePosixPath = field(default_factory=PurePosixPath)
    inner: dict[PurePosixPath, Path] = field(default_factory=dict)
    keeps_archives: bool = field(init=False)
    _entries: int = 0
    _files: int = 0
    _bytes: dict[str, int] = field(default_factory=dict)
    _places: dict[str, str] = field(default_factory=dict)  # {folded place: the place as written, with / for a folder}

    def __post_init__(self) -> None:
        self.keeps_archives = not self.caps.whole_class

    def place(self, name: str, is_file: bool, is_folder: bool) -> PurePosixPath | None:
        """Where an entry is written below `folder`; None where it is left out."""
        self._entries += 1
        if self._entries > self.caps.entries:
            raise ArchiveRefused(
                f"The archive has more than {self.caps.entries:,} entries: submit the lesson's folder only."
            )
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or "\0" in name or (path.parts and path.parts[0].endswith(":")):
            raise ArchiveRefused(
                f"The archive has an entry outside its own folder ({name[:80]!r}): pack the folder itself."
            )
        if any(map(is_clutter, path.parts)) or not path.parts:
            return None
        if not is_file and not is_folder:
            raise EntryRefused(
                f"The archive has a link, a device or a sparse file in it ({name[:80]!r}): pack ordinary files."
            )
        if is_folder:
            return None
        if not (self.caps.whole_class or suffix_of(path) in self.caps.file or self._is_inner(path)):
            self.others += [path.name] if len(self.others) < MAX_OTHERS else []
            return None
        path = self.prefix / path
        self._validate(path, name)
        if self.folder is None:
            self.names.append(name.replace("\\", "/"))
            return None
        return path

    def _is_inner(self, path: PurePosixPath) -> bool:
        return self.keeps_archives and path.name.lower().endswith(SUFFIXES)

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
        self._files += 1
        if self._files > self.caps.files:
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
        assert self.folder is not None
        target = self.folder.joinpath(*path.parts)
        most = self.caps.file.get(suffix_of(path), 0)
        if self._is_inner(path):
            target = self.folder / INNER_ARCHIVES / str(len(self._places)) / path.name
            self.inner[path], most = target, self.caps.archive
        target.parent.mkdir(parents=True, exist_ok=True)
        written = 0
        with target.open("wb") as file:
            for data in content if most else ():
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
