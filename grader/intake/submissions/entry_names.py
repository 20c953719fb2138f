"""In which code page a class's .zip names its entries, where the archive itself does not say that it is UTF-8."""

from __future__ import annotations

import zipfile
from pathlib import Path

from grader.intake.submissions.archive import WHOLE_CLASS, BoundedFile, refuse_damage
from grader.intake.submissions.people import name_words, rotations
from grader.intake.submissions.roster import Roster
from grader.intake.submissions.unpacking import ArchiveRefused

CODE_PAGES = (
    *("utf-8", "cp437", "cp850", "cp1252", "latin-1", "cp932", "gb18030", "big5", "cp949", "euc_jp"),
    *("cp866", "cp1251", "koi8-r", "cp852", "cp1250", "cp737", "cp1253", "cp857", "cp1254", "cp862", "cp1255"),
    *("cp864", "cp1256", "cp775", "cp1257", "cp1258", "cp874", "mac-roman"),
)
"""Those in which Windows, macOS and packers name entries. Of two that fit equally well, the first is taken."""
MAX_NAMES_COMPARED = 5_000


def code_page_of(path: Path, roster: Roster | None) -> str | None:
    """The code page in which the most members of the roster are named in the archive; None where nobody is."""
    wanted = [rotations(name_words(each.name)) for each in roster.members if not each.name.isascii()] if roster else []
    if not wanted or not path.name.lower().endswith(".zip"):
        return None
    parts = parts_of_names(path)
    found = {page: members_in(page, parts, wanted) for page in CODE_PAGES}
    best = max(CODE_PAGES, key=found.__getitem__)
    return best if found[best] else None


def members_in(page: str, parts: list[bytes], wanted: list[set[str]]) -> int:
    """How many members' names the parts contain, if they are in this code page."""
    text = "\n".join("".join(name_words(part.decode(page, "replace"))) for part in parts)
    return sum(any(name in text for name in names) for names in wanted)


def parts_of_names(path: Path) -> list[bytes]:
    """Folders and files of a .zip whose names have other letters than ASCII's and are not marked as UTF-8."""
    try:
        with (
            refuse_damage(path.name),
            BoundedFile(path, WHOLE_CLASS.directory) as file,
            zipfile.ZipFile(file) as zipped,
        ):
            names = [each.orig_filename.encode("cp437") for each in zipped.infolist() if not each.flag_bits & 0x800]
    except ArchiveRefused:
        return []
    return [*{part: None for name in names for part in name.split(b"/") if not part.isascii()}][:MAX_NAMES_COMPARED]
