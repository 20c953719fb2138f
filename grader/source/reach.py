"""Which top-level definitions of a file differ from those of another, and which a function can reach.

By their text alone, in microseconds: an identifier counts as a use wherever it occurs, so nothing is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

START = re.compile(r"^(?:@|(?:async )?def (\w+)|class (\w+)|(\w+)\b.*?=|\S)", re.MULTILINE)
IDENTIFIER = re.compile(r"\w+")


def definition_texts(text: str) -> dict[str, str]:
    """{name: the lines of its definition}; what defines no name is under ""."""
    starts = list(START.finditer(text))
    found: dict[str, str] = {}
    decorators = ""
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        lines = text[start.start() : following.start() if following else len(text)].strip()
        if lines.startswith("@"):
            decorators += lines
            continue
        name = next((group for group in start.groups() if group), "")
        found[name] = f"{found.get(name, '')}{decorators}{lines}\n"
        decorators = ""
    return found


def changed_definitions(before: str, after: str) -> frozenset[str]:
    """The names whose definitions differ between two texts; "" among them where something else does."""
    old, new = definition_texts(before), definition_texts(after)
    return frozenset(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))


def reachable_definitions(text: str, names: Iterable[str]) -> frozenset[str]:
    """The definitions that the given ones use, directly or through others; "" is always among them."""
    known = definition_texts(text)
    waiting, found = [name for name in names if name in known], {""}
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += set(IDENTIFIER.findall(known[name])) & known.keys()
    return frozenset(found)
