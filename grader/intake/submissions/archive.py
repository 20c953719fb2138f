"""Archives as submissions: a .zip or .tar (.gz, .bz2, .xz) of one student, or of a whole class.

The reading process unpacks them (unpacking.py), so a hostile archive costs that process, a few seconds and a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from grader.intake.submissions.file_kinds import ARCHIVE_SUFFIXES, MIB, UNREAD_ARCHIVES, stem_of
from grader.intake.submissions.people import name_words, rotations
from grader.intake.submissions.roster import Roster
from grader.intake.submissions.unpacking import ArchiveRefused, IncompleteDownload, Unpacked, unpack_archives
from grader.source.reader import ReadingStopped, source_reader

METADATA = "submission_metadata.yml"  # of Gradescope's export
CODE_PAGES = (
    *("utf-8", "cp437", "cp850", "cp1252", "latin-1", "cp932", "gb18030", "big5", "cp949", "euc_jp"),
    *("cp866", "cp1251", "koi8-r", "cp852", "cp1250", "cp737", "cp1253", "cp857", "cp1254", "cp862", "cp1255"),
    *("cp864", "cp1256", "cp775", "cp1257", "cp1258", "cp874", "mac-roman"),
)
"""Those in which Windows, macOS and packers name entries. Of two that fit equally well, the first is taken."""
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


def read_archives(
    archives: Mapping[str, Path], folder: Path | None, whole_class: bool = False, code_page: str | None = None
) -> Unpacked:
    """As `unpacking.unpack_archives`, in the process with limits of time and memory. Raises ArchiveRefused."""
    seconds = SECONDS + SECONDS_PER_MIB * (sum(path.stat().st_size for path in archives.values()) // MIB)
    try:
        reply = source_reader().call(unpack_archives, dict(archives), folder, whole_class, code_page, seconds=seconds)
    except ReadingStopped as stopped:
        names = ", ".join(path.name for path in archives.values())
        raise ArchiveRefused(f"{names[:80]} cannot be unpacked: {stopped}. Submit the lesson's folder only.") from None
    found = Unpacked(**reply)
    if found.sentence:
        raise (IncompleteDownload if found.is_incomplete else ArchiveRefused)(found.sentence)
    return found


def archive_names(path: Path, code_page: str | None = None) -> list[str]:
    """The names of an archive's files, without unpacking any. Raises ArchiveRefused."""
    return read_archives({"": path}, None, whole_class=True, code_page=code_page).names


def code_page_of(path: Path, roster: Roster | None) -> str | None:
    """The code page in which a .zip's names are the roster's, where they are not marked as UTF-8.

    Of several, it is the one with the most members; None where nobody is named. Raises ArchiveRefused.
    """
    members = [rotations(name_words(each.name)) for each in roster.members if not each.name.isascii()] if roster else []
    if not members or not path.name.lower().endswith(".zip"):
        return None
    names = [name.encode("cp437", "replace") for name in archive_names(path, "cp437")]
    parts = {part for name in names for part in name.split(b"/") if not part.isascii()}
    counts = dict.fromkeys(CODE_PAGES, 0)
    for page in CODE_PAGES:
        text = "\n".join("".join(name_words(part.decode(page, "replace"))) for part in sorted(parts))
        counts[page] = sum(any(way in text for way in ways) for ways in members)
    best = max(CODE_PAGES, key=counts.__getitem__)
    return best if counts[best] else None


def unpack_class(path: Path, folder: Path, code_page: str | None = None) -> dict[Path, str]:
    """Unpacks the archive of a whole class into `folder`, students' own archives as they are.

    Returns {place: sentence} of the entries left out: one student's bad file does not affect the others. Raises
    ArchiveRefused.
    """
    found = read_archives({"": path}, folder, whole_class=True, code_page=code_page)
    refused = {folder / place: sentence for place, sentence in found.refused.items()}
    for place in refused:
        with suppress(OSError):  # a name that no disk takes; the student may have submitted another file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
    return refused
