"""Archives as submissions: a .zip or .tar (.gz, .bz2, .xz) of one student, or of a whole class.

The reading process unpacks them (unpacking.py), so a hostile archive costs that process, a few seconds and a sentence.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from grader.intake.submissions.file_kinds import ARCHIVE_SUFFIXES, MIB, UNREAD_ARCHIVES, stem_of
from grader.intake.submissions.unpacking import ArchiveRefused, Unpacked, unpack
from grader.source.reader import ReadingStopped, source_reader

METADATA = "submission_metadata.yml"  # of Gradescope's export
SECONDS, SECONDS_PER_MIB = 3.0, 1.0
"""Processor time for any archive, and for each MiB of it: an ordinary one takes a hundredth."""


def is_archive(path: Path) -> bool:
    """Whether a path is named like an archive; one of a kind that is not read is refused with a sentence."""
    return path.name.lower().endswith((*ARCHIVE_SUFFIXES, *UNREAD_ARCHIVES))


def without_suffix(path: Path) -> str:
    """The name without its archive suffix: ada.tar.gz is ada's."""
    for suffix in (*ARCHIVE_SUFFIXES, *UNREAD_ARCHIVES):
        if path.name.lower().endswith(suffix):
            return path.name[: -len(suffix)] or path.name
    return stem_of(path) or path.stem


def read_archives(archives: Mapping[str, Path], folder: Path | None, whole_class: bool = False) -> Unpacked:
    """As `unpacking.unpack`, in the process with limits of time and memory. Raises ArchiveRefused."""
    seconds = SECONDS + SECONDS_PER_MIB * (sum(path.stat().st_size for path in archives.values()) // MIB)
    try:
        found = Unpacked(**source_reader().call(unpack, dict(archives), folder, whole_class, seconds=seconds))
    except ReadingStopped as stopped:
        names = ", ".join(path.name for path in archives.values())
        raise ArchiveRefused(f"{names[:80]} cannot be unpacked: {stopped}. Submit the lesson's folder only.") from None
    if found.sentence:
        raise ArchiveRefused(found.sentence)
    return found


@contextmanager
def unpacked(path: Path, others: list[str] | None = None) -> Iterator[Path]:
    """A temporary folder with the Python files and notebooks of one student's archive. Raises ArchiveRefused.

    An archive inside the archive becomes a folder of its name. `others` receives the names of some other files.
    """
    with tempfile.TemporaryDirectory(prefix="submission-") as folder:
        place = Path(folder).resolve()
        found = read_archives({"": path}, place)
        if found.refused and not any(each.is_file() for each in place.rglob("*")):
            raise ArchiveRefused(next(iter(found.refused.values())))
        if others is not None:
            others += found.others
        yield place


def unpack_together(archives: Mapping[str, Path], folder: Path) -> dict[str, str]:
    """Unpacks several archives of one student into `folder`, {place in it: archive}, under the limits of one.

    Returns {place: sentence} of those that were refused.
    """
    try:
        return read_archives(archives, folder).refused
    except ArchiveRefused as refused:
        return dict.fromkeys(archives, str(refused))


def archive_names(path: Path) -> list[str]:
    """The names of an archive's files, without unpacking any. Raises ArchiveRefused."""
    return read_archives({"": path}, None, whole_class=True).names


def unpack_class(path: Path, folder: Path) -> dict[Path, str]:
    """Unpacks the archive of a whole class into `folder`, students' own archives as they are.

    Returns {place: sentence} of the entries left out: one student's bad file does not affect the others. Raises
    ArchiveRefused.
    """
    found = read_archives({"": path}, folder, whole_class=True)
    refused = {folder / place: sentence for place, sentence in found.refused.items()}
    for place in refused:
        with suppress(OSError):  # a name that no disk takes; the student may have submitted another file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
    return refused
