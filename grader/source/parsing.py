"""Parses a student's text into a syntax tree. The text is never run."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

MAX_BYTES = 300_000
"""Of a longer text nothing is read: parsing it takes seconds, and a lesson's file has a few thousand bytes."""
PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python's parser raises for a text that is not Python, or is nested too deeply."""
# A coding cookie selects one of a hundred decoders, and some of them take time quadratic in the length of the text.
ENCODINGS = frozenset({"utf-8", "utf-8-sig", "ascii", "iso-8859-1", "cp1252"})


def parse_text(text: str | bytes, filename: str = "<unknown>") -> ast.Module | None:
    """The syntax tree; None where Python cannot parse the text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning such as "invalid escape sequence" does not concern the grader
            return ast.parse(text, filename)
    except PARSE_ERRORS:
        return None


def parse_submitted(text: str | bytes, filename: str = "<unknown>") -> ast.Module | None:
    """The syntax tree; None where Python cannot parse the text, or the text is too long or in a rare encoding.

    Bytes are decoded as Python does it; at most MAX_BYTES bytes or characters are parsed.
    """
    if len(text) > MAX_BYTES:
        return None
    if isinstance(text, bytes):
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(text).readline)
        except SyntaxError:
            return None
        if encoding not in ENCODINGS:
            return None
    return parse_text(text, filename)
