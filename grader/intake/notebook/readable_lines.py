"""The statements of a text that Python cannot parse as a whole: all except those that are unfinished or wrong."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from grader.source.parsing import cause_of, parse_text

MAX_PIECES = 1_000  # of a text that Python cannot parse as a whole
BEGINS = re.compile(r"(?!(else|elif|except|finally)\b)[^\s#)\]}]")  # a line with which a statement may begin
UNFINISHED = re.compile(r"^([^\S\n]*[A-Za-z_]\w*[ \t]*(?::[^=\n]+)?=)[ \t]*(#.*)?$", re.MULTILINE)
"""`dhpreact =` and nothing after it."""


@dataclass(frozen=True)
class Broken:
    """Lines that Python cannot read: `text` begins at `line` of `file`."""

    file: str
    line: int
    text: str

    @property
    def in_words(self) -> str:
        """Where they are, and why they cannot be read if that is known, as the end of a sentence."""
        cause = cause_of(self.text)
        if cause is None or cause.line is None:
            return f"{self.file}, from line {self.line} on{'' if cause is None else f': {cause.what}'}."
        return f"{self.file}, line {self.line + cause.line - 1}: {cause.what}."

    def has(self, name: str) -> bool:
        """Whether the name is in these lines."""
        return re.search(rf"\b{re.escape(name)}\b", self.text) is not None


def readable_statements(file: str, text: str) -> tuple[list[ast.stmt], list[Broken]]:
    """The statements of the text of `file`, with its line numbers, and those that Python cannot read.

    An unfinished `dh =` is read as `dh = ...`, which says that it is still to be written.
    """
    tree = parse_text(text)
    if tree is not None:
        return tree.body, []
    lines = UNFINISHED.sub(r"\1 ...", text).split("\n")
    starts = [n for n, line in enumerate(lines) if BEGINS.match(line)]
    if len(starts) > MAX_PIECES or not starts or cause_of(text) is not None:  # both sides of a merge would be read
        return [], [Broken(file, 1, text)]
    found: list[ast.stmt] = []
    broken: list[Broken] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        piece = "\n".join(lines[start:end])
        tree = parse_text(piece)
        if tree is None:
            tree = parse_text(lines[start])  # a whole statement, and below it a line that is indented
            broken.append(Broken(file, start + 1 + bool(tree), piece if tree is None else piece.partition("\n")[2]))
        for statement in tree.body if tree else ():
            found.append(ast.increment_lineno(statement, start))
    return found, broken
