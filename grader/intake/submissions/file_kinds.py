"""A submission's files: which can be graded, by their names, and how one is read through no link.

The owner of a folder can replace a file by a link or a pipe after the grader has seen it and before the grader opens
it. A link would lead to an answer key, and a pipe would make the grader wait for ever.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path, PurePath

from grader.errors import UserError
from grader.source.parsing import LFS_POINTER

MIB = 1 << 20
NOTEBOOK = ".ipynb"
ARCHIVE_SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar")
UNREAD_ARCHIVES = {".7z": "a 7-Zip archive", ".rar": "a RAR archive", ".tar.zst": "a Zstandard archive"}
"""Archives that Python's library does not read; a sentence says so to the student."""
MAX_BYTES = {".py": MIB, NOTEBOOK: 20 * MIB, ".toml": MIB}
"""Of one file that is read, by its suffix. Only such files come out of a student's archive."""
MAX_ARCHIVE_DEPTH = 10
"""Folders inside folders that are searched."""
ADDED = r"(?:\s*\(\d+\)|\.txt|\.text|\.download|\.json)*"
"""What a download may add: backward.py.txt, backward.py (1), makemore.ipynb.json."""
DISGUISED = re.compile(r".*?(\.pyw?|\.ipynb)" + ADDED, re.IGNORECASE | re.DOTALL)
MAX_FILE_NAME_BYTES = 255
CLUTTER = frozenset({"__pycache__", "__MACOSX", "node_modules", "venv", "site-packages"})
"""Folders that programs make; nothing in them is the student's work."""
DEBRIS = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "$recycle.bin"})
"""What Windows and macOS leave in folders, in small letters."""
IPYTHON_LINE = re.compile(rb"^get_ipython\(\)\.\w+\(.*\)[ \t]*$", re.MULTILINE)
"""A command to the notebook in a script that Jupyter exported: outside of the notebook it is an error."""


class Unreadable(UserError):
    """A file or an archive that is not read. The text is a sentence for the student."""


class IncompleteDownload(UserError):
    """A file that the download does not contain, which is not its student's fault. The text is a sentence."""


def suffix_of(path: PurePath) -> str:
    """ ".py" or ".ipynb" for files that may be such, else the suffix in small letters."""
    found = DISGUISED.fullmatch(path.name[-MAX_FILE_NAME_BYTES:])
    if found is None:
        return path.suffix.lower()
    return NOTEBOOK if found[1].lower() == NOTEBOOK else ".py"


def is_code(path: PurePath) -> bool:
    return suffix_of(path) in (".py", NOTEBOOK)


def stem_of(path: PurePath) -> str:
    """The name without its suffix and what was added to it: "backward" of backward.py.txt, "ada" of ada.tar.gz."""
    found = DISGUISED.fullmatch(path.name[-MAX_FILE_NAME_BYTES:])
    length = found.end() - found.start(1) if found else len(path.suffix)
    for suffix in (*ARCHIVE_SUFFIXES, *UNREAD_ARCHIVES):
        length = max(length, len(suffix)) if path.name.lower().endswith(suffix) else length
    return path.name[: len(path.name) - length] or path.name


def is_archive(path: PurePath) -> bool:
    """Whether a path is named like an archive; one of a kind that is not read is refused with a sentence."""
    return path.name.lower().endswith((*ARCHIVE_SUFFIXES, *UNREAD_ARCHIVES))


def is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def is_gradable(path: PurePath) -> bool:
    """Whether it is named like a Python file, a notebook or an archive."""
    return is_code(path) or is_archive(path)


def may_be_submitted(path: Path) -> bool:
    """Whether an entry of a class's folder may be a submission: a gradable file, a folder, or a link to one."""
    return is_gradable(path) or path.is_dir()


def is_clutter(name: str) -> bool:
    """Whether a file or folder of this name is hidden, or made by a program: nobody has submitted it."""
    return name.startswith((".", "~$", "__MACOSX")) or name in CLUTTER or name.lower() in DEBRIS


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


def read_file(path: Path, most: int = MAX_BYTES[".py"]) -> bytes:
    """A regular file's bytes, at most `most`; a text that was saved as UTF-16 as UTF-8. Raises Unreadable."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            data = file.read(most + 1)
    except OSError as error:
        reason = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise Unreadable(f"{path.name} cannot be read: {reason}. Submit the file itself.") from None
    if len(data) > most:
        raise Unreadable(f"{path.name} has more than {most:,} bytes, the most that is read.{how_to_shrink(path)}")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.decode("utf-16", "replace").encode()
    return IPYTHON_LINE.sub(b"", data) if b"get_ipython()" in data else data


def read_submitted(path: Path, most: int = MAX_BYTES[".py"]) -> bytes:
    """The same for a file that may be graded. Raises IncompleteDownload where the download lacks it."""
    data = read_file(path, most)
    refuse_pointer(path.name, data)
    return data


def refuse_pointer(name: str, start: bytes) -> None:
    """Raise IncompleteDownload if the file that begins like this only says where Git LFS keeps the file."""
    if start.removeprefix(b"\xef\xbb\xbf").startswith(LFS_POINTER.encode()):
        raise IncompleteDownload(
            f"{name} is a Git LFS pointer, not the file itself: run `git lfs pull` in the download, and grade again."
        )


def how_to_shrink(path: PurePath) -> str:
    """What to do about a file that is too large: another sentence, or nothing."""
    return " Clear the notebook's outputs, save it and submit it again." if suffix_of(path) == NOTEBOOK else ""
