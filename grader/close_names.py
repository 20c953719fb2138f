"""A name that somebody may have meant by another, among many that a student has chosen."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

MOST_NAMES = 300
MOST_LENGTH = 100


def close_name(name: str, names: Iterable[str]) -> str | None:
    """The closest of the first MOST_NAMES names of about this length; None where none is close.

    A comparison takes time quadratic in the length of a name, and a file may hold a hundred thousand names.
    """
    alike = (other for other in names if len(other) <= MOST_LENGTH and 2 * len(name) >= len(other) >= len(name) / 2)
    return next(iter(difflib.get_close_matches(name, list(islice(alike, MOST_NAMES)), n=1)), None)
