"""Names, other words and shapes as a sentence writes them."""

from __future__ import annotations

from collections.abc import Sequence


def listed(words: Sequence[str], most: int | None = None) -> str:
    """ "x", "x and y", "x, y and z"; of more than `most`, "x, y and 3 more". Empty for no words."""
    shown = words if most is None else words[:most]
    if len(shown) < len(words):
        return f"{', '.join(shown)} and {len(words) - len(shown)} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def listed_as_code(words: Sequence[str], most: int | None = None) -> str:
    """The same with each in backticks: "`x`, `y` and `z`"."""
    return listed([f"`{word}`" for word in words], most)


def format_shape(sizes: Sequence[int]) -> str:
    """A shape in a sentence, as Python writes a tuple: (3, 4), (3,), ()."""
    return "(" + ", ".join(map(str, sizes)) + ("," if len(sizes) == 1 else "") + ")"
