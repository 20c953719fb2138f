"""Parses a student's text, which is never run, and says why Python cannot where its own words hide the cause."""

from __future__ import annotations

import ast
import codecs
import io
import re
import sys
import tokenize
import warnings
from typing import NamedTuple

MAX_PARSED_BYTES = 300_000
"""Of a longer text nothing is read: parsing it takes seconds, and a lesson's file has a few thousand bytes."""
MAX_OPENING_BRACES = 20_000
"""Of a text with more nothing is read: Python 3.11 takes quadratic time for the parts of one f-string."""
PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python's parser raises for a text that is not Python, or is nested too deeply."""
# A coding cookie selects one of a hundred decoders. Some take time quadratic in the length of the text, and some make
# Python read another text than everybody sees. These are what editors write.
ENCODINGS = frozenset(
    {"utf-8", "utf-8-sig", "ascii", "gbk", "gb2312", "gb18030", "big5", "shift_jis", "cp932", "euc_jp", "euc_kr"}
    | {"cp949", "koi8-r", "koi8-u", "mac-roman", *(f"cp{number}" for number in range(1250, 1259))}
    | {f"iso8859-{number}" for number in range(1, 17) if number != 12}
)
MERGE_MARK = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: .*)?$", re.MULTILINE)
MIDDLE_MARK = "======="
MAX_SHOWN_MARK = 60
LFS_POINTER = "version https://git-lfs.github.com/spec/"


def parse_text(text: str | bytes, filename: str = "<unknown>") -> ast.Module | None:
    """The syntax tree; None where Python cannot parse the text, or the text has too many braces."""
    braces = text.count("{") if isinstance(text, str) else text.count(b"{")
    if braces > MAX_OPENING_BRACES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning such as "invalid escape sequence" does not concern the grader
            return ast.parse(text, filename)
    except PARSE_ERRORS:
        return None


def parse_submitted(text: str | bytes, filename: str = "<unknown>") -> ast.Module | None:
    """The syntax tree; None where Python cannot parse the text, or the text is too long or in a rare encoding.

    Bytes are decoded as Python does it; at most MAX_PARSED_BYTES bytes or characters are parsed.
    """
    if len(text) > MAX_PARSED_BYTES:
        return None
    if isinstance(text, bytes):
        try:
            encoding_of(text)
        except SyntaxError:
            return None
    return parse_text(text, filename)


def encoding_of(source: bytes) -> str:
    """The encoding in which Python reads a file, one of ENCODINGS. Raises SyntaxError for others."""
    name, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    name = codecs.lookup(name).name
    if name not in ENCODINGS:
        raise SyntaxError(f"the file is in the encoding {name}: save it as UTF-8 and delete the line with `coding`")
    return name


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
