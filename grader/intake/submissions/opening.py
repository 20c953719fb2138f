"""Opening a student's file: a regular one, and through no link.

Who owns a folder can put a link or a pipe in its place after the grader has looked at it and before the grader opens
it. A link would lead to an answer key, and a pipe would make the grader wait for ever.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_regular(path: str | Path, flags: int = 0) -> int:
    """A descriptor that reads a regular file. It can be given to `open` as its opener, whose `flags` are not used.

    Neither the file nor a folder above it may be a link, so the folders above a submission must have been resolved.
    Raises OSError.
    """
    *folders, name = Path(path).absolute().parts
    place = os.open(folders[0], FOLDER)
    try:
        for folder in folders[1:]:
            above, place = place, os.open(folder, FOLDER | os.O_NOFOLLOW, dir_fd=place)
            os.close(above)
        descriptor = os.open(name, FILE, dir_fd=place)
    finally:
        os.close(place)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no ordinary file", str(path))
    return descriptor
