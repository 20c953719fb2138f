"""What a file and its functions print: the worker begins each line with the name of the function that runs.

    dlogits: torch.Size([32, 27])

A file that prints such names itself, or writes past `sys.stdout`, only mislabels its own lines.
"""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass, field

MAX_PRINTED_LINES = 11
"""Lines of one function."""
MAX_LABELS = 40
MAX_PRINTED_LINE_CHARACTERS = 300
"""Characters of one line, without its label."""


# In the worker -------------------------------------------------------------------------------------------------------


class LabelledStream(io.TextIOWrapper):
    """Standard output or standard error of a worker.

    Attributes:
        label: of what is printed from now on, on either of them.
    """

    label = ""
    label_of_line = ""  # the line has no end yet

    def write(self, text: str) -> int:
        if self.label_of_line != self.label:
            self.end_line()
        for line in text.splitlines(keepends=True):
            super().write(line if self.label_of_line else f"{self.label}: {line}")
            self.label_of_line = self.label if line.splitlines() == [line] else ""
        return len(text)

    def end_line(self) -> None:
        if self.label_of_line:
            super().write("\n")
        self.label_of_line = ""


def label_output() -> None:
    """Replaces `sys.stdout` and `sys.stderr` of this process by streams that label what is printed."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        # opened anew: the old streams may remember the files that these were before the fork
        file = io.BufferedWriter(io.FileIO(descriptor, "wb", closefd=False))
        stream = LabelledStream(file, encoding="utf-8", errors="backslashreplace", line_buffering=name == "stderr")
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def flush_output() -> None:
    """Ends the lines that have no end, and writes what is buffered."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a student may have replaced or closed it
            if isinstance(stream, LabelledStream):
                stream.end_line()
            stream.flush()


# On the trusted side -------------------------------------------------------------------------------------------------


@dataclass
class Output:
    """What a submission has printed: the first `room` bytes; `total` counts those that were dropped as well."""

    room: int
    data: bytearray = field(default_factory=bytearray)
    total: int = 0

    def write(self, data: bytes) -> None:
        self.total += len(data)
        self.data += data[: max(0, self.room - len(self.data))]


def lines_by_label(data: bytes | bytearray, elsewhere: str) -> list[str]:
    """The lines that are shown, function by function. One without a label gets the label `elsewhere`."""
    texts: dict[str, list[str]] = {}
    for line in data.decode("utf-8", errors="replace").splitlines():
        label, colon, text = line.partition(": ")
        if not colon or not (label.isidentifier() or label == elsewhere):
            label, text = elsewhere, line
        texts.setdefault(label, []).append(text[:MAX_PRINTED_LINE_CHARACTERS])
    return [f"{label}: {line}" for label, own in list(texts.items())[:MAX_LABELS] for line in first_and_last(own)]


def first_and_last(lines: list[str]) -> list[str]:
    """At most MAX_PRINTED_LINES, with one between the first and the last that counts those left out."""
    if len(lines) <= MAX_PRINTED_LINES:
        return lines
    half = MAX_PRINTED_LINES // 2
    return [*lines[:half], f"… {len(lines) - 2 * half} more lines …", *lines[-half:]]
