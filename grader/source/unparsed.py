"""Why Python cannot parse a text, where its own words (`invalid decimal literal`) hide the cause."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from grader.source.parsing import parse_text

MERGE_MARK = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: .*)?$", re.MULTILINE)
MIDDLE_MARK = "======="
MAX_SHOWN_MARK = 60
LFS_POINTER = "version https://git-lfs.github.com/spec/"
NESTED_QUOTES = re.compile(
    r"""\b([fF][rR]?|[rR][fF])  (['"])
        ((?: (?!\2)[^\\\n{] | \\. | \{[^{}'"\n]{0,200}\} ){0,200})
        \{[^{}\n]{0,200}  \2  [^{}\n]{0,200}\}""",
    re.VERBOSE,
)
"""The first part in braces with the f-string's own quotes: `f"{row["loss"]}"`. The bounds keep the work linear."""
TYPE_PARAMETERS = r"\[(?:[^\[\]]|\[[^\[\]]*+\])*+\]"
NEWER = (
    (
        (3, 12),
        re.compile(rf"^([ \t]*)type[ \t]+(\w+)[ \t]*(?:{TYPE_PARAMETERS})?[ \t]*(?==(?!=))", re.MULTILINE),
        r"\1\2 ",
    ),
    (
        (3, 12),
        re.compile(rf"^([ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+\w+)[ \t]*{TYPE_PARAMETERS}", re.MULTILINE),
        r"\1",
    ),
    ((3, 14), re.compile(r"^([ \t]*except\*?[ \t]+)([\w.]+(?:[ \t]*,[ \t]*[\w.]+)+)[ \t]*:", re.MULTILINE), r"\1(\2):"),
    ((3, 14), re.compile(r"(?<![\w'\"])(?:[tT]([rR]?)|([rR])[tT])(?=['\"])"), r"f\1\2"),
    ((3, 12), NESTED_QUOTES, r"\1\2\3"),
    ((3, 15), re.compile(r"^([ \t]*)lazy[ \t]+(?=import\b|from\b)", re.MULTILINE), r"\1"),
)
"""(the Python that has a syntax first, the syntax, the same in older words). A text that older words make readable
needs that Python."""
MAX_NESTED_QUOTES = 10
"""Parts with quotes of their own, of one f-string."""


class Cause(NamedTuple):
    """`line` of the text, and what is there, as the end of a sentence without its full stop."""

    line: int | None
    what: str


def cause_of(text: str, line: int | None = None, running: tuple[int, int] = sys.version_info[:2]) -> Cause | None:
    """Why the text cannot be parsed by the Python that is `running`; None where its own words must do.

    `line` is the one that Python names.
    """
    if text.lstrip("\ufeff").startswith(LFS_POINTER):
        return Cause(None, "this is a Git LFS pointer, not the file itself: run `git lfs pull`")
    return merge_mark(text, line) or newer_syntax(text, line, running)


def merge_mark(text: str, line: int | None = None) -> Cause | None:
    """The first mark of a merge that Git left to the student."""
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


def newer_syntax(text: str, line: int | None, running: tuple[int, int]) -> Cause | None:
    if parse_text(text) is not None:
        return None  # the fault is elsewhere: in a text that the file runs, or `return` outside of a function
    older = text
    for version in sorted({version for version, _, _ in NEWER if version > running}):
        for needed, syntax, words in NEWER:
            for _ in range(MAX_NESTED_QUOTES if syntax is NESTED_QUOTES else 1):
                older = syntax.sub(words, older) if needed == version else older
        if parse_text(older) is not None:
            needs, has = (".".join(map(str, each)) for each in (version, running))
            return Cause(line, f"this needs Python {needs}; graded with {has}. Write it without the newer syntax")
    return None
