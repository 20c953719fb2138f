"""A name that somebody may have meant by another, among many that a student has chosen."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from itertools import islice

MAX_CANDIDATES = 300
MAX_COMPARED_NAME = 100
MIN_SIMILARITY = 0.6
"""The least ratio of difflib's SequenceMatcher at which two names are close, as in difflib.get_close_matches."""

WORDS_AROUND_A_NAME = frozenset(
    {"compute", "calc", "get", "my", "backward", "grad", "gradient", "dl", "dloss", "d", "of", "step"}
)
"""Words that people put before or after the name of a value when they name its gradient."""


def close_name(name: str, names: Iterable[str]) -> str | None:
    """The closest of the first MAX_CANDIDATES names of about this length; None where none is close."""
    return close_names([name], names).get(name)


def close_names(missing: Sequence[str], names: Iterable[str]) -> dict[str, str]:
    """{a missing name: the name that may have been meant by it}, each of `names` at most once, the closest pairs first.

    A comparison takes time quadratic in the length of a name, and a file may hold a hundred thousand names. So only
    names of at most MAX_COMPARED_NAME characters are compared, and at most MAX_CANDIDATES of them.
    """
    found = []
    kept = list(islice((name for name in names if len(name) <= MAX_COMPARED_NAME), MAX_CANDIDATES))
    for place, name in enumerate(missing):
        matcher = difflib.SequenceMatcher(b=plain_name(name))
        for other_place, other in enumerate(kept):
            ratio = closeness(name, other, matcher)
            if ratio >= MIN_SIMILARITY:
                found.append((-ratio, place, other_place))
    pairs: dict[str, str] = {}
    for _, place, other_place in sorted(found):
        if missing[place] not in pairs and kept[other_place] not in pairs.values():
            pairs[missing[place]] = kept[other_place]
    return pairs


def closeness(name: str, other: str, matcher: difflib.SequenceMatcher[str]) -> float:
    """A number from 0 to 1; `matcher` holds the plain form of `name`."""
    words = [word for word in other.casefold().split("_") if word]
    rest = "".join(word for word in words if word not in WORDS_AROUND_A_NAME)
    if rest == plain_name(name) or (len(words) > 1 and rest and rest == plain_name(name).removeprefix("d")):
        return 1.0
    return similarity(matcher, plain_name(other), MIN_SIMILARITY)


def similarity(matcher: difflib.SequenceMatcher[str], name: str, least: float) -> float:
    """The ratio of `name` and the matcher's second string; 0 where it is less than `least`, in most cases quickly."""
    matcher.set_seq1(name)
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    return matcher.ratio()


def plain_name(name: str) -> str:
    """A name or a label in small letters, without what separates words."""
    return name.casefold().replace("_", "").replace(" ", "").replace("-", "")
