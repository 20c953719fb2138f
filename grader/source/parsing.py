"""Parses a student's text, and asks Python which names it takes from outside. The text is never run."""

from __future__ import annotations

import ast
import io
import symtable
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


def names_from_outside(text: str) -> set[str]:
    """The global and built-in names that the function in `text` uses, wherever inside it; without its annotations.

    The syntax tree does not say it: in `[0 for name in ()]` the name belongs to the comprehension, and the same name
    elsewhere in the function is another one, which Python looks up in the module and then among its own.

    Raises SyntaxError where Python refuses the text, and ValueError where it is not one function.
    """
    (function,) = (each for each in symtable.symtable(text, "", "exec").get_children() if each.get_type() == "function")
    return global_names(function)


def global_names(table: symtable.SymbolTable) -> set[str]:
    """What a function, its lambdas and its comprehensions use that is not their own."""
    found = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return found.union(*map(global_names, table.get_children()))
