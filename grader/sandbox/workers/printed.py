"""What a file and its functions print: the worker begins each line with the name of the function that runs.

    dlogits: torch.Size([32, 27])

A file that prints such names itself, or writes past `sys.stdout`, only mislabels its own lines.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

MAX_PRINTED_LINES = 11
"""Lines of one function."""
MAX_LABELS = 40
MAX_PRINTED_LINE_CHARACTERS = 300
"""Characters of one line, without its label."""


# In the worker -------------------------------------------------------------------------------------------------------


class LabelledStream(io.TextIOWrapper):
    """Standard output or standard error of a worker."""

    label, is_in_line, is_quiet = "", False, False

    def write(self, text: str) -> int:
        for line in () if self.is_quiet else text.splitlines(keepends=True):
            super().write(line if self.is_in_line else f"{self.label}: {line}")
            self.is_in_line = line.splitlines() == [line]  # it has no end yet
        return len(text)


class LabelledOutput:
    """Replaces `sys.stdout` and `sys.stderr` of this process by streams that label what is printed."""

    def __init__(self) -> None:
        self._streams: list[LabelledStream] = []
        for name, descriptor in (("stdout", 1), ("stderr", 2)):
            # opened anew: the old streams may remember the files that these were before the fork
            file = io.BufferedWriter(io.FileIO(descriptor, "wb", closefd=False))
            stream = LabelledStream(file, encoding="utf-8", errors="backslashreplace", line_buffering=name == "stderr")
            self._streams.append(stream)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)

    def begin(self, label: str, is_quiet: bool = False) -> None:
        """What is printed from now on is labelled so; with `is_quiet`, it is dropped."""
        for stream in self._streams:
            if stream.is_in_line:
                with contextlib.suppress(Exception):  # a student may have closed it
                    stream.write("\n")
            stream.label, stream.is_quiet = label, is_quiet


def flush_output() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a student may have replaced or closed it
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


def first_and_last(lines: Sequence[str], most: int = MAX_PRINTED_LINES) -> list[str]:
    """At most `most` lines, with one between the first and the last that counts those left out."""
    if len(lines) <= most:
        return list(lines)
    first = most // 2
    last = most - 1 - first
    return [*lines[:first], f"… {len(lines) - first - last} more lines …", *lines[len(lines) - last :]]
