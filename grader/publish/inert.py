"""Text that somebody else wrote, made harmless wherever it is shown: a page, Markdown, a spreadsheet, a terminal.

A name, a message, a line of code or printed output can show anything and do nothing.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
BREAK = "\u200b"  # an empty character, at which a word may be broken
OPENING = tuple(" \t-+=0123456789")  # with which a list, a heading, a rule or a block of code begins
FORMULA_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b"  # with which a formula begins, in each width
FORMULA_START = re.compile(rf"(?:^|[;\t\n]|\r(?!\n))[\s\"']*[{FORMULA_SIGNS}|]|\r(?!\n)")
NO_FORMULA = re.compile(r"[-+]?[\d\s.,()/:-]*")  # a dash for "nothing", a number, a telephone number
INVISIBLE = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # no controls by category, but blank to the eye


def inert(text: str) -> str:
    """The text with all of it visible: control, zero-width and bidirectional characters as `\\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return with_escapes(TERMINAL.sub("", text).replace("\r\n", "\n"), "\n\t")


def terminal_line(text: str) -> str:
    """One line for a terminal or a job's log: every control and invisible character is shown, and none is obeyed."""
    return without_ci_commands(text if text.isascii() and text.isprintable() else with_escapes(text, ""))


def with_escapes(text: str, kept: str) -> str:
    """The text with an escape for each character that is not seen, those in `kept` excepted."""
    shown = []
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        hidden = category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or character in INVISIBLE
        if hidden and character not in kept:
            shown.append(character.encode("unicode_escape").decode())
        elif marks <= 3:  # more accents on one letter than any language has would cover the lines around it
            shown.append(character)
    return "".join(shown)


def without_ci_commands(line: str) -> str:
    """A line that no CI runner takes for a command.

    GitHub obeys `::` at the start of a line and `##[` anywhere, Azure `##vso[` and `##[`, TeamCity `##teamcity[`.
    GitLab's sections need control characters, which no caller lets through.
    """
    return re.sub(r"##(?=[A-Za-z]*\[)", "## ", re.sub(r"^(\s*):(?=:)", r"\1: ", line))


@lru_cache(maxsize=1_000)  # names, words and numbers, the same on every page
def markdown(text: str) -> Markup:
    """One line of Markdown that shows `text`: no markup, mention, reference or link of its own; `code` stays code.

    GitHub and GitLab find mentions and references in the text that is left after Markdown, where a backslash stops none
    of them: an empty character inside does, and leaves it readable.
    """
    pieces = re.split(r"(`[^`|]+`)", " ↵ ".join(inert(text).split("\n")))
    if pieces[0][:1] in OPENING:  # it starts no list, heading, rule or block of code
        start = re.sub(r"^(?: {4}| {0,3}\t)\s*", "   ", pieces[0])
        start = re.sub(r"^(\s*\d{1,9})(?=[.)](?:\s|$))", rf"\1{BREAK}", start)
        pieces[0] = re.sub(r"^(\s*)(?=[-+](?:\s|$)|-{2,}\s*$|=+\s*$)", rf"\1{BREAK}", start)
    return Markup("".join(piece if at % 2 else plain_markdown(piece) for at, piece in enumerate(pieces)))


def plain_markdown(text: str) -> str:
    """Text of which nothing is markup, and nothing a link to a person or an issue, or a picture of a smile."""
    text = re.sub(r"([\\`*_{}\[\]<>#|~&$!^])", r"\\\1", text)
    text = re.sub(r":(?=[/:])|(?<=:):|(?<=[wW]{3})\.", r"\\\g<0>", text)
    text = re.sub(r"([@#!~%&$])(?=[\w\"])", rf"\1{BREAK}", text)  # people, issues, requests, labels, epics, snippets
    return re.sub(r":(?=[\w+-]+(?::|$))", f":{BREAK}", text)  # :tada:, the last colon of which may be the page's own


def prose(text: str) -> Markup:
    """A sentence for a page, its `code` as code."""
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(inert(text)))))


def code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(inert(text))


def csv_cell(text: str) -> str:
    """One line that no spreadsheet takes for a formula, whether it splits at commas or at semicolons.

    Excel reads full-width signs as signs. (csv.writer leaves a lone carriage return unquoted.)
    """
    shown = "".join(c.encode("unicode_escape").decode() if c in "\t\r\n" else inert(c) for c in text)
    shown = re.sub(rf"(;[\s\"']*)(?=[{FORMULA_SIGNS}])", r"\1'", shown)
    if NO_FORMULA.fullmatch(shown):
        return shown
    return "'" + shown if re.match(rf"[\s\"]*[{FORMULA_SIGNS}|]", shown) else shown


def formula_free(text: str) -> str:
    """The cell as it is; as `csv_cell` writes it where a spreadsheet may take it, or its end, for a formula."""
    return csv_cell(text) if FORMULA_START.search(text) else text


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells, which are harmless already, as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
