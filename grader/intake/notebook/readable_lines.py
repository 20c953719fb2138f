"""The statements of a text that Python cannot parse as a whole: all except the lines that are unfinished or wrong."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from grader.source.parsing import PARSE_ERRORS, parse_text
from grader.source.unparsed import cause_of, merge_mark

MAX_PIECES = 1_000  # of a text that Python cannot parse as a whole
MAX_LINES_LEFT_OUT = 20  # within statements of several lines
MAX_CHARACTERS_TRIED_AGAIN = 50_000  # of a statement without the lines that are left out
BEGINS = re.compile(r"(?!(else|elif|except|finally)\b)[^\s#)\]}]")  # a line with which a statement may begin
UNFINISHED = re.compile(r"^(\s*[A-Za-z_]\w*[ \t]*(?::[^=\n]+)?=)[ \t]*(#.*)?$", re.MULTILINE)
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
    """The statements of the text of `file`, with its line numbers, and the lines that Python cannot read.

    An unfinished `dh =` is read as `dh = ...`, which says that it is still to be written.
    """
    tree = parse_text(text)
    if tree is not None:
        return tree.body, []
    lines = UNFINISHED.sub(r"\1 ...", text).split("\n")
    starts = [n for n, line in enumerate(lines) if BEGINS.match(line)]
    if len(starts) > MAX_PIECES or not starts or merge_mark(text) is not None:  # both sides of a merge would be read
        return [], [Broken(file, 1, text)]
    found: list[ast.stmt] = []
    broken: list[Broken] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        statements, left_out = readable_piece(lines[start:end], MAX_LINES_LEFT_OUT - len(broken))
        for statement in statements:
            ast.increment_lineno(statement, start)
        found += statements
        broken += (Broken(file, start + number, left) for number, left in left_out.items())
    return found, broken


def readable_piece(lines: list[str], may_leave_out: int) -> tuple[list[ast.stmt], dict[int, str]]:
    """The statements of one statement's lines, and {number: line} of those within it that are left out."""
    left_out: dict[int, str] = {}
    rest = [*lines]
    while True:
        tree = parsed("\n".join(rest))
        if isinstance(tree, ast.Module):
            for statement in tree.body[-1:]:
                statement.end_lineno = max(statement.end_lineno or 0, *left_out, 0)  # it may have ended in such a line
            return tree.body, left_out
        place = tree.lineno or 0
        can_go_on = len(left_out) < may_leave_out and sum(map(len, rest)) <= MAX_CHARACTERS_TRIED_AGAIN
        if not can_go_on or not 1 < place <= len(rest) or place in left_out:
            return [], {1: "\n".join(lines)}
        line = left_out[place] = rest[place - 1]
        indent = line[: len(line) - len(line.lstrip())]
        rest[place - 1] = "" if isinstance(tree, IndentationError) else f"{indent}pass"


def parsed(text: str) -> ast.Module | SyntaxError:
    """The syntax tree, or why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        return error
    except PARSE_ERRORS as error:
        return SyntaxError(str(error))
