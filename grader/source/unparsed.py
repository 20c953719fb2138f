"""Why Python cannot parse a text, where its own words (`invalid decimal literal`) hide the cause."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

MERGE_MARK = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: .*)?$", re.MULTILINE)
MIDDLE_MARK = "======="
MAX_SHOWN_MARK = 60
LFS_POINTER = "version https://git-lfs.github.com/spec/"


class Cause(NamedTuple):
    """`line` of the text, and what is there, as the end of a sentence without its full stop."""

    line: int | None
    what: str


def cause_of(text: str, line: int | None = None) -> Cause | None:
    """A Git LFS pointer, or the first mark of a merge in the text; None where Python's own words say what is wrong.

    `line` is the one that Python names.
    """
    if text.lstrip("\ufeff").startswith(LFS_POINTER):
        return Cause(None, "this is a Git LFS pointer, not the file itself: run `git lfs pull`")
    found = MERGE_MARK.search(text)
    if found is not None:
        line, mark = text.count("\n", 0, found.start()) + 1, found[0].strip()
    else:
        mark = "".join(text.splitlines()[line - 1 : line]).strip() if line else ""
        if mark != MIDDLE_MARK:
            return None
    return Cause(
        line,
        f"this is the mark of an unfinished Git merge ({mark[:MAX_SHOWN_MARK]}). Keep one of the two versions, delete "
        "the marks, and save the file",
    )


def cause_of_error(text: str, error: SyntaxError) -> Cause:
    """The same, else in Python's own words. They name its version: a newer Python may know a syntax that it lacks."""
    where = " (in Python {}.{})".format(*sys.version_info) if error.lineno else ""
    own_words = Cause(error.lineno or None, f"{type(error).__name__}: {error.msg}{where}")
    return cause_of(text, error.lineno) or own_words
