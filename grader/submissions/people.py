"""Names of people, written in many ways: compared without case, accents and order, and made safe as folder names."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence

LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})
"""Letters that Unicode does not take apart into a plain one and an accent."""
ALIKE = 0.84  # of two names' letters: a letter or two missing, doubled or exchanged
LONGEST = 120


def words(name: str) -> tuple[str, ...]:
    """The words of a name, folded: "Dupont, Amélie" gives ("amelie", "dupont"), as "Amélie Dupont" does."""
    last, comma, first = name.partition(",")
    if comma:
        name = f"{first} {last}"
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return tuple(re.findall(r"[^\W_]+", plain.translate(LETTERS)))


def rotations(name: Sequence[str]) -> set[str]:
    """The name without spaces, begun at each of its words: which of them are the last name is not known."""
    return {"".join([*name[start:], *name[:start]]) for start in range(len(name))}


def near(one: str, other: str) -> bool:
    """Whether two names may be one person's: words left out or shortened, or a few letters different."""
    short, long = sorted((words(one), words(other)), key=len)
    if not short:
        return False
    return shortened(short, long) or any(
        difflib.SequenceMatcher(None, "".join(short), way).ratio() >= ALIKE for way in rotations(long)
    )


def shortened(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether each word of `short` begins another word of `long`, and one of three letters or more is that word."""
    left = list(long)
    for word in sorted(short, key=len, reverse=True):
        found = next((other for other in left if other == word), None) or next(
            (other for other in left if other.startswith(word)), None
        )
        if found is None:
            return False
        left.remove(found)
    return any(len(word) >= 3 and word in long for word in short)


def as_folder(name: str) -> str:
    """The name as that of a folder: no separator or control character, begun and ended by a word, not too long."""
    name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    name = unicodedata.normalize("NFC", name)
    safe = "".join("-" if c in "/\\" or unicodedata.category(c) in ("Cc", "Cs") else c for c in name)
    while len(safe.encode()) > 2 * LONGEST or len(safe) > LONGEST:
        safe = safe[:-1]
    return safe.strip(" .-") or "unnamed"
