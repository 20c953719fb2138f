"""How pages, screens and exports write a list of names, a figure, a shape and a time."""

from __future__ import annotations

from collections.abc import Sequence

from grader.source.word_lists import format_shape


def first_names(names: Sequence[str], most: int = 3) -> str:
    """The first `most` names, and how many more there are: `dx, dy, dz and 2 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def figure_text(value: float | None) -> str:
    """A count in full while it is short, else two digits; a dash for None."""
    if value is None or value == 0:
        return "–" if value is None else "0"
    return f"{value:,}" if isinstance(value, int) and value < 1_000_000 else f"{value:.2g}"


def shape_text(sizes: Sequence[int] | None) -> str:
    """A shape as Python writes it, `(32,)`; a dash for None."""
    return "–" if sizes is None else format_shape(sizes)


def duration_text(seconds: float) -> str:
    """A time in seconds, minutes or hours: `12 s`, `3 min`, `2.5 h`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
