"""Archives as submissions: a .zip or .tar (.gz, .bz2, .xz) of one student, or of a whole class.

The reading process unpacks them (unpacking.py), so a hostile archive costs that process, a few seconds and a sentence.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from grader.intake.submissions import unpacking
from grader.intake.submissions.archive_writer import MIB, SUFFIXES, ArchiveRefused, IncompleteDownload
from grader.intake.submissions.file_kinds import stem_of
from grader.intake.submissions.people import name_words, rotations
from grader.intake.submissions.roster import Roster
from grader.intake.submissions.unpacking import UNREAD, Unpacked
from grader.source.reader import ReadingStopped, source_reader

METADATA = "submission_metadata.yml"  # of Gradescope's export
SECONDS, SECONDS_PER_MIB = 3.0, 1.0
"""Processor time for any archive, and for each MiB of it: a guard, hundreds of times what it takes. The caps
in archive_writer.py decide."""
CODE_PAGES = (
    *("utf-8", "cp437", "cp850", "cp1252", "latin-1", "cp932", "gb18030", "big5", "cp949", "euc_jp"),
    *("cp866", "cp1251", "koi8-r", "cp852", "cp1250", "cp737", "cp1253", "cp857", "cp1254", "cp862", "cp1255"),
    *("cp864", "cp1256", "cp775", "cp1257", "cp1258", "cp874", "mac-roman"),
)
"""Those in which Windows, macOS and packers name entries. Of two that fit equally well, the first is taken."""
MAX_NAMES_COMPARED = 5_000


def is_archive(path: Path) -> bool:
    """Whether a path is named like an archive; one of a kind that is not read is refused with a sentence."""
    return path.name.lower().endswith((*SUFFIXES, *UNREAD))


def without_suffix(path: Path) -> str:
    """The name without its archive suffix: ada.tar.gz is ada's."""
    for suffix in (*SUFFIXES, *UNREAD):
        if path.name.lower().endswith(suffix):
            return path.name[: -len(suffix)] or path.name
    return stem_of(path) or path.stem


def in_reading_process(function: Callable[..., Unpacked], name: str, size: int, *arguments: Any) -> Unpacked:
    """What `function(*arguments, size)` gives there for archives of `size` bytes. Raises ArchiveRefused."""
    seconds = SECONDS + SECONDS_PER_MIB * (size // MIB)
    try:
        found = Unpacked(**source_reader().call(function, *arguments, size, seconds=seconds))
    except ReadingStopped as stopped:
        raise ArchiveRefused(f"{name} cannot be unpacked: {stopped}. Submit the lesson's folder only.") from None
    if found.sentence:
        raise (IncompleteDownload if found.is_incomplete else ArchiveRefused)(found.sentence)
    return found


@contextmanager
def unpacked(path: Path, others: list[str] | None = None) -> Iterator[Path]:
    """A temporary folder with the Python files and notebooks of one student's archive. Raises ArchiveRefused.

    An archive inside the archive becomes a folder of its name. `others` receives the names of some other files.
    """
    with tempfile.TemporaryDirectory(prefix="submission-") as folder:
        place = Path(folder).resolve()
        found = in_reading_process(unpacking.unpack_one, path.name, path.stat().st_size, path, place)
        if others is not None:
            others += found.others
        yield place


def unpack_together(archives: Mapping[str, Path], folder: Path) -> dict[str, str]:
    """Unpacks several archives of one student into `folder`, {place in it: archive}, under the limits of one.

    Returns {place: sentence} of those that were refused.
    """
    size = sum(path.stat().st_size for path in archives.values())
    try:
        return in_reading_process(unpacking.unpack_archives, "An archive", size, dict(archives), folder).refused
    except ArchiveRefused as refused:
        return dict.fromkeys(archives, str(refused))


def archive_names(path: Path, code_page: str | None = None) -> list[str]:
    """The names of an archive's entries, without unpacking any. Raises ArchiveRefused."""
    return in_reading_process(unpacking.list_entries, path.name, path.stat().st_size, path, code_page).names


def unpack_class(path: Path, folder: Path, code_page: str | None = None) -> dict[Path, str]:
    """Unpacks the archive of a whole class into `folder`, students' own archives as they are.

    Returns {place: sentence} of the entries left out: one student's bad file does not affect the others. Raises
    ArchiveRefused.
    """
    found = in_reading_process(unpacking.unpack_class_archive, path.name, path.stat().st_size, path, folder, code_page)
    refused = {folder / place: sentence for place, sentence in found.refused.items()}
    for place in refused:
        with suppress(OSError):  # a name that no disk takes; the student may have submitted another file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
    return refused


def code_page_of(path: Path, roster: Roster | None) -> str | None:
    """The code page of a .zip's names, where the archive does not say that it is UTF-8.

    It is the one in which the most members of the roster are named; None where nobody is.
    """
    wanted = [rotations(name_words(each.name)) for each in roster.members if not each.name.isascii()] if roster else []
    if not wanted or not path.name.lower().endswith(".zip"):
        return None
    try:
        found = in_reading_process(unpacking.unmarked_names, path.name, path.stat().st_size, path)
    except ArchiveRefused:  # as a submission, it is refused with a sentence
        return None
    names = [name.encode("cp437", "replace") for name in found.names]
    parts = [*{part: None for name in names for part in name.split(b"/") if not part.isascii()}][:MAX_NAMES_COMPARED]
    counts = {page: members_in(page, parts, wanted) for page in CODE_PAGES}
    best = max(CODE_PAGES, key=counts.__getitem__)
    return best if counts[best] else None


def members_in(page: str, parts: list[bytes], wanted: list[set[str]]) -> int:
    """How many members' names the parts contain, if they are in this code page."""
    text = "\n".join("".join(name_words(part.decode(page, "replace"))) for part in parts)
    return sum(any(name in text for name in names) for names in wanted)
