"""Text that somebody else wrote, made harmless wherever it is shown: a page, Markdown, a spreadsheet.

A name, a message, a line of code or printed output can show anything and do nothing.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from markupsafe import Markup, escape

TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
UNSEEN = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # no controls by category, but blank to the eye


def inert(text: str) -> str:
    """The text with all of it visible: control, zero-width and bidirectional characters as `\\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    shown = []
    marks = 0
    for character in TERMINAL.sub("", text).replace("\r\n", "\n"):
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        hidden = category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or character in UNSEEN
        if hidden and character not in "\n\t":
            shown.append(character.encode("unicode_escape").decode())
        elif marks <= 3:  # more accents on one letter than any language has would cover the lines around it
            shown.append(character)
    return "".join(shown)


def unheard(line: str) -> str:
    """A line of a terminal's that no CI runner takes for a command: one is `::` at its start, or `##[` anywhere."""
    return re.sub(r"^(\s*):(?=:)", r"\1: ", line).replace("##[", "## [")


@lru_cache(maxsize=1_000)  # names, words and numbers, the same on every page
def markdown(text: str) -> Markup:
    """One line of Markdown that shows `text`: no markup, mention, reference or link of its own; `code` stays code."""
    pieces = re.split(r"(`[^`|]+`)", " ↵ ".join(inert(text).split("\n")))
    return Markup("".join(piece if at % 2 else plain(piece) for at, piece in enumerate(pieces)))


def plain(text: str) -> str:
    text = re.sub(r"([\\`*_{}\[\]<>#|~&$!])", r"\\\1", text)
    text = re.sub(r":(?=[/:])|(?<=:):|(?<=[wW]{3})\.", lambda match: "\\" + match[0], text)
    # no backslash stops a mention or a reference: an empty character between sign and name does
    return re.sub(r"([@#])(?=\w)", "\\1\u200b", text)


def prose(text: str) -> Markup:
    """A sentence for a page, its `code` as code."""
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(inert(text)))))


def code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(inert(text))


def csv_cell(text: str) -> str:
    """One line that no spreadsheet takes for a formula. (csv.writer leaves a lone carriage return unquoted.)"""
    shown = "".join(c.encode("unicode_escape").decode() if c in "\t\r\n" else inert(c) for c in text)
    return "'" + shown if shown[:1] in set("=+-@") else shown
