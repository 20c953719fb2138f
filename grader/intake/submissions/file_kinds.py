"""A submission's files: which can be graded, by their names, and how one is opened through no link.

The owner of a folder can replace a file by a link or a pipe after the grader has seen it and before the grader opens
it. A link would lead to an answer key, and a pipe would make the grader wait for ever.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from pathlib import Path, PurePath

MIB = 1 << 20
NOTEBOOK = ".ipynb"
ARCHIVE_SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar")
UNREAD_ARCHIVES = {".7z": "a 7-Zip archive", ".rar": "a RAR archive", ".tar.zst": "a Zstandard archive"}
"""Archives that Python's library does not read; a sentence says so to the student."""
MAX_ARCHIVE_DEPTH = 10
"""Folders inside folders that are searched."""
ADDED = r"(?:\s*\(\d+\)|\.txt|\.text|\.download|\.json)*"
"""What a download may add: backward.py.txt, backward.py (1), makemore.ipynb.json."""
DISGUISED = re.compile(r".*?(\.pyw?|\.ipynb)" + ADDED, re.IGNORECASE | re.DOTALL)
COPIED_STEM = re.compile(r"backward(?:[ _-]*(?:\(\d+\)|copy|copie|kopie|copia)(?:[ _-]*\d+)?)+", re.IGNORECASE)
"""What browsers and operating systems call a second backward.py, without its suffix: backward (1), backward - Copy."""
ANSWER_FILE_NAME = re.compile(r"answers.*\.toml", re.IGNORECASE)
"""Also answers (1).toml and answers-1.toml, as browsers and platforms number files."""
MAX_FILE_NAME_BYTES = 255
CLUTTER = frozenset({"__pycache__", "__MACOSX", "node_modules", "venv", "site-packages"})
"""Folders that programs make; nothing in them is the student's work."""
DEBRIS = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "$recycle.bin"})
"""What Windows and macOS leave in folders, in small letters."""


def suffix_of(path: PurePath) -> str:
    """ ".py" or ".ipynb" for files that may be such, else the suffix in small letters."""
    name = path.name[-MAX_FILE_NAME_BYTES:]
    found = DISGUISED.fullmatch(name)
    if found is None:
        return path.suffix.lower()
    return NOTEBOOK if found[1].lower() == NOTEBOOK else ".py"


def stem_of(path: PurePath) -> str:
    """The name without the suffix and what was added to it: "backward" of backward.py.txt."""
    found = DISGUISED.fullmatch(path.name[-MAX_FILE_NAME_BYTES:])
    return path.name[: found.start(1) - found.end()] if found else path.stem


def too_large_advice(path: PurePath) -> str:
    """What to do about a file that is too large: another sentence, or nothing."""
    return " Clear the notebook's outputs, save it and submit it again." if suffix_of(path) == NOTEBOOK else ""


def is_copy(path: PurePath) -> bool:
    """Whether a name is that of a copy of backward.py, such as "backward (1).py"."""
    return bool(COPIED_STEM.fullmatch(stem_of(path)))


def is_clutter(name: str) -> bool:
    """Whether a file or folder of this name is hidden, or made by a program: nobody has submitted it."""
    return name.startswith((".", "~$", "__MACOSX")) or name in CLUTTER or name.lower() in DEBRIS


def begins_formula(text: str) -> bool:
    """Whether a spreadsheet may take a cell for a formula."""
    return unicodedata.normalize("NFKC", text)[:1] in tuple("=+-@|")


def file_cell(file: str) -> str:
    """A file's place in the submission as a cell of intake.csv has it: `_` for what separates, or nobody sees."""
    safe = "".join("_" if each == ";" or not each.isprintable() else each for each in file).strip()
    return f"./{safe}" if begins_formula(safe) else safe


FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_regular(path: str | Path, flags: int = 0) -> int:
    """A descriptor that reads a regular file. It can be given to `open` as its opener, whose `flags` are not used.

    Neither the file nor a folder above it may be a link, so the folders above a submission must have been resolved.
    Raises OSError.
    """
    *folders, name = Path(path).absolute().parts
    place = os.open(folders[0], FOLDER_FLAGS)
    try:
        for folder in folders[1:]:
            above, place = place, os.open(folder, FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=place)
            os.close(above)
        descriptor = os.open(name, FILE_FLAGS, dir_fd=place)
    finally:
        os.close(place)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not an ordinary file", str(path))
    return descriptor
