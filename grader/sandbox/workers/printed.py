"""What a file and its functions printed, as it is shown: labelled lines, the first and the last of each function.

Labels are made here, from the requests to the worker: a file that prints a label gets one in front of it.
"""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[int, int, str]
"""(first byte, byte after the last, the function that ran), of a submission's output."""

MAX_PRINTED_LINES = 11
"""Lines of one function."""
MAX_LABELS = 40
MAX_PRINTED_LINE_CHARACTERS = 300
"""Characters of one line."""


class Output:
    """What a submission has printed, in one worker or in all of them.

    Attributes:
        data: the first `room` bytes.
        total: how many bytes were printed, kept or not.
        spans: which function printed what of `data`.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self.data, self.total = bytearray(), 0
        self.spans: list[Span] = []

    def write(self, data: bytes) -> None:
        self.total += len(data)
        self.data += data[: max(0, self._room - len(self.data))]

    def append(self, other: Output, first: int, last: int) -> None:
        """Add what another output has from byte number `first` up to `last`, as far as there is room."""
        self.spans += cut(other.spans, first, min(last, len(other.data)), len(self.data) - first)
        self.data += other.data[first:last][: max(0, self._room - len(self.data))]
        self.total += last - first


def cut(spans: Sequence[Span], first: int, last: int, moved: int = 0) -> list[Span]:
    """The spans between two bytes, with `moved` added to their places."""
    inside = ((max(start, first), min(end, last), label) for start, end, label in spans)
    return [(start + moved, end + moved, label) for start, end, label in inside if start < end]


def label_lines(data: bytes | bytearray, spans: Sequence[Span], elsewhere: str) -> list[str]:
    """The lines that are shown, function by function. What no function printed is labelled `elsewhere`."""
    texts: dict[str, list[bytes | bytearray]] = {}
    place = 0
    for start, end, label in sorted(spans):
        if place < start:
            texts.setdefault(elsewhere, []).append(data[place:start])
        texts.setdefault(label, []).append(data[max(place, start) : end])
        place = max(place, end)
    if place < len(data):
        texts.setdefault(elsewhere, []).append(data[place:])
    lines: list[str] = []
    for label, parts in list(texts.items())[:MAX_LABELS]:
        own = [line for part in parts for line in part.decode("utf-8", errors="replace").splitlines()]
        lines += [f"{label}: {line}" for line in first_and_last([line[:MAX_PRINTED_LINE_CHARACTERS] for line in own])]
    return lines


def first_and_last(lines: Sequence[str], most: int = MAX_PRINTED_LINES) -> list[str]:
    """At most `most` lines, with one between the first and the last that counts those left out."""
    if len(lines) <= most:
        return list(lines)
    first = most // 2
    last = most - 1 - first
    return [*lines[:first], f"… {len(lines) - first - last} more lines …", *lines[len(lines) - last :]]
