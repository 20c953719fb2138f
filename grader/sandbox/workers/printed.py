"""What a file and its functions print: marked in the worker by the function that runs, shown in labelled lines.

The worker writes LABEL_MARK and the function's name before the first thing that a call prints. A file that prints
marks, or writes past `sys.stdout`, only moves the borders between its own functions.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator, Sequence

LABEL_MARK = "\x1e\x1f"
MAX_PRINTED_LINES = 11
"""Lines of one function."""
MAX_LABELS = 40
MAX_PRINTED_LINE_CHARACTERS = 300
"""Characters of one line."""


# In the worker -------------------------------------------------------------------------------------------------------


class MarkedStream(io.TextIOWrapper):
    """Standard output or standard error of a worker."""

    label, is_marked = "", True

    def write(self, text: str) -> int:
        if not self.is_marked:
            self.is_marked = True
            super().write(f"{LABEL_MARK}{self.label}\n")
        return super().write(text)


class MarkedOutput:
    """Replaces `sys.stdout` and `sys.stderr` of this process by streams that mark what is printed."""

    def __init__(self) -> None:
        self._streams: list[MarkedStream] = []
        for name, descriptor in (("stdout", 1), ("stderr", 2)):
            # opened anew: the old streams may remember the files that these were before the fork
            stream = io.BufferedWriter(io.FileIO(descriptor, "wb", closefd=False))
            marked = MarkedStream(stream, encoding="utf-8", errors="backslashreplace", line_buffering=name == "stderr")
            self._streams.append(marked)
            setattr(sys, name, marked)
            setattr(sys, f"__{name}__", marked)

    def begin(self, label: str) -> None:
        """What is printed from now on is labelled so."""
        for stream in self._streams:
            if stream.is_marked and stream.label:
                with contextlib.suppress(Exception):  # a student may have closed it
                    stream.flush()
            stream.label, stream.is_marked = label, False


def flush_output() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a student may have replaced or closed it
            stream.flush()


# On the trusted side -------------------------------------------------------------------------------------------------


class Output:
    """What a submission has printed, marks included, in one worker or in all of them.

    Attributes:
        data: the first `room` bytes.
        total: how many bytes were printed, kept or not.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self.data, self.total = bytearray(), 0

    def write(self, data: bytes | bytearray) -> None:
        self.total += len(data)
        self.data += data[: max(0, self._room - len(self.data))]

    def append(self, other: Output, loading: bool = True) -> None:
        """Add what another output has, without what was printed while `loading` if that is False."""
        data, mark = other.data, LABEL_MARK.encode()
        if not loading:
            data = data[data.index(mark) :] if mark in data else data[:0]
        elif self.data and data:
            self.write(mark + b"\n")
        self.write(data)
        self.total += other.total - len(other.data)


def marked_parts(data: bytes | bytearray) -> Iterator[tuple[str, str]]:
    """(label, text) of each part in order; the label is "" before the first mark."""
    first, *others = data.decode("utf-8", errors="replace").split(LABEL_MARK)
    yield "", first
    for part in others:
        label, _, text = part.partition("\n")
        yield (label, text) if label.isidentifier() or not label else ("", part)


def unmarked(data: bytes | bytearray) -> bytes:
    """What was printed, without the marks."""
    return "".join(text for _, text in marked_parts(data)).encode()


def label_lines(data: bytes | bytearray, elsewhere: str) -> list[str]:
    """The lines that are shown, function by function. What no function printed is labelled `elsewhere`."""
    texts: dict[str, list[str]] = {}
    for label, text in marked_parts(data):
        if text:
            texts.setdefault(label or elsewhere, []).extend(text.splitlines())
    lines: list[str] = []
    for label, own in list(texts.items())[:MAX_LABELS]:
        lines += [f"{label}: {line}" for line in first_and_last([line[:MAX_PRINTED_LINE_CHARACTERS] for line in own])]
    return lines


def first_and_last(lines: Sequence[str], most: int = MAX_PRINTED_LINES) -> list[str]:
    """At most `most` lines, with one between the first and the last that counts those left out."""
    if len(lines) <= most:
        return list(lines)
    first = most // 2
    last = most - 1 - first
    return [*lines[:first], f"… {len(lines) - first - last} more lines …", *lines[len(lines) - last :]]
