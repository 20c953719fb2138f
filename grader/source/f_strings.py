"""Writes f-strings that need Python 3.12, as `f"{d["x"]}"`, in a form that older versions parse."""

from __future__ import annotations

import ast
import re
import warnings

STRING = re.compile(r"(?<![\w'\"])(?P<prefix>[A-Za-z]{0,2})(?P<quote>'''|\"\"\"|'|\")")
STRING_OR_COMMENT = re.compile(rf"#[^\n]*|{STRING.pattern}")
PREFIXES = frozenset({"", "r", "u", "b", "br", "rb", "f", "fr", "rf"})
MAX_NESTED = 20  # braces within braces


class Unterminated(Exception):
    """A string that has no end, or is nested too deeply."""


def for_older_python(text: str) -> str:
    """The text, line for line, with every f-string that Python before 3.12 cannot parse written with triple quotes.

    One that has a backslash or a comment in its braces, which triple quotes do not help, becomes an empty string.
    """
    parts: list[str] = []
    place = 0
    try:
        while (found := STRING_OR_COMMENT.search(text, place)) is not None:
            end = found.end() if found["quote"] is None else end_of_string(text, found, 0)
            parts.append(text[place : found.start()])
            literal = text[found.start() : end]
            is_f = found["quote"] is not None and "f" in found["prefix"].lower()
            parts.append(older_form(literal, found["prefix"], found["quote"]) if is_f else literal)
            place = end
    except Unterminated:
        return text
    return "".join([*parts, text[place:]])


def can_parse(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def older_form(literal: str, prefix: str, quote: str) -> str:
    if can_parse(literal):
        return literal
    inside = literal[len(prefix) + len(quote) : -len(quote)]
    tripled = f"{prefix}{quote * 3}{inside}{quote * 3}"
    if len(quote) == 1 and can_parse(tripled):
        return tripled
    return "''" + "\\\n" * literal.count("\n")


def end_of_string(text: str, start: re.Match[str], depth: int) -> int:
    """Where the string ends that begins with this match. Raises Unterminated."""
    prefix, quote = start["prefix"].lower(), start["quote"]
    if prefix not in PREFIXES:
        raise Unterminated
    if "f" in prefix:
        return end_of_literal(text, start.end(), quote, depth)
    end = start.end()
    while not text.startswith(quote, end):
        if end >= len(text) or (len(quote) == 1 and text[end] == "\n"):
            raise Unterminated
        end += 2 if text[end] == "\\" else 1
    return end + len(quote)


def end_of_literal(text: str, place: int, end: str, depth: int) -> int:
    """Behind `end`, which closes an f-string, or as `}` the format after a colon. Raises Unterminated."""
    while not text.startswith(end, place):
        if place >= len(text) or (len(end) == 1 and text[place] == "\n"):
            raise Unterminated
        if text.startswith("{{", place) and end != "}":
            place += 2
        elif text[place] == "{":
            place = end_of_braces(text, place + 1, depth + 1)
        else:
            place += 2 if text[place] == "\\" else 1
    return place + len(end)


def end_of_braces(text: str, place: int, depth: int) -> int:
    """Behind the brace that closes the expression which begins at `place`. Raises Unterminated."""
    if depth > MAX_NESTED:
        raise Unterminated
    brackets = 0
    while place < len(text):
        character = text[place]
        found = STRING_OR_COMMENT.match(text, place)
        if found is not None:
            place = found.end() if found["quote"] is None else end_of_string(text, found, depth)
            continue
        if brackets == 0 and character == "}":
            return place + 1
        if brackets == 0 and character == ":":
            return end_of_literal(text, place + 1, "}", depth + 1)
        brackets += (character in "([{") - (character in ")]}")
        place += 1
    raise Unterminated
