"""The files submitted for one lesson, and how one file is read."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.errors import UserError
from grader.intake.notebook.as_file import Origin
from grader.intake.submissions.file_kinds import open_regular, too_large_advice
from grader.intake.submissions.unpacking import refuse_pointer
from grader.lesson.paths import BACKWARD_FILE

MAX_FILE_BYTES = 1 << 20
IPYTHON_LINE = re.compile(rb"^get_ipython\(\)\.\w+\(.*\)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class LessonFiles:
    """What a student submitted for one lesson.

    Attributes:
        lesson: the lesson's name.
        files: {name: bytes}; the graded file is called MAIN.
        shown: the graded file's path inside the submission, for messages.
        message: why there are no files, or why some are left out.
        rejected: the files may not be graded, for the reason in `message`.
        origin: where the files' lines come from, when they were made from a notebook.
        nothing: the submission has neither the lesson nor anything that may be meant as it.
        answers: the bytes of its answers.toml; `answers_shown` is that file's path inside the submission.
        answers_name: another name, id or address of the student's for which that file was written; "" for the name
            in the results.
    """

    lesson: str
    files: dict[str, bytes] = field(default_factory=dict)
    shown: str = BACKWARD_FILE
    message: str | None = None
    rejected: bool = False
    origin: Origin | None = None
    nothing: bool = False
    answers: bytes | None = None
    answers_shown: str = ""
    answers_name: str = ""

    @property
    def present(self) -> bool:
        return BACKWARD_FILE in self.files

    @property
    def in_place(self) -> LessonFiles:
        """The same, of a Python file that has the lesson's place or name: it is no notebook, whatever it contains."""
        return self if self.origin is None else replace(self, origin=replace(self.origin, uncounted=()))


class Unreadable(UserError):
    """A file that is not read: too large, not a regular file, a link. The text is a sentence."""


def read_file(path: Path, most: int = MAX_FILE_BYTES) -> bytes:
    """A regular file's bytes, at most `most`. Links are refused: one could be to an answer key. Raises Unreadable."""
    try:
        descriptor = open_regular(path)
    except OSError as error:
        reason = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise Unreadable(f"{path.name} cannot be read: {reason}. Submit the file itself.") from None
    with os.fdopen(descriptor, "rb") as file:
        size = os.fstat(descriptor).st_size
        if size > most:
            raise Unreadable(f"{path.name} has {size:,} bytes; at most {most:,} are read.{too_large_advice(path)}")
        return without_magics(as_utf_8(file.read(most + 1)))


def read_downloaded(path: Path, most: int = MAX_FILE_BYTES) -> bytes:
    """The same for a file that may be graded. Raises IncompleteDownload where the download lacks it."""
    data = read_file(path, most)
    refuse_pointer(path.name, data)
    return data


def without_magics(data: bytes) -> bytes:
    """A script that Jupyter exported, with empty lines for its commands to the notebook: outside, they are errors."""
    return IPYTHON_LINE.sub(b"", data) if b"get_ipython()" in data else data


def as_utf_8(data: bytes) -> bytes:
    """A text that was saved as UTF-16, which Python does not run, as UTF-8; anything else as it is."""
    start, encoding = data[:64], ""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif len(start) > 1 and b"\0" in start and (not any(start[1::2]) or not any(start[::2])):
        encoding = "utf-16-le" if not any(start[1::2]) else "utf-16-be"
    try:
        return data.decode(encoding).encode() if encoding else data
    except UnicodeError:
        return data
