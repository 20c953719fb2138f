"""Standard output and standard error that know how many bytes they have written: which function printed what.

The trusted side makes the labels (grader/sandbox/workers/printed.py). A file that writes to the descriptor itself, or
replaces `sys.stdout`, only moves the borders between its own functions.
"""

from __future__ import annotations

import contextlib
import io
import sys


class Counter:
    """Bytes written to both streams since the worker began."""

    total = 0


class CountedOutput(io.TextIOWrapper):
    """Text output that adds to `counter`."""

    counter: Counter

    def write(self, text: str) -> int:
        written = super().write(text)
        self.counter.total += len(text) if text.isascii() else len(text.encode(self.encoding, "backslashreplace"))
        return written


def count_output() -> Counter:
    """Replace `sys.stdout` and `sys.stderr` of this process by streams that count; returns what they count.

    They open descriptors 1 and 2 anew: the old streams may remember the files that these were before the fork.
    """
    counter = Counter()
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = io.BufferedWriter(io.FileIO(descriptor, "wb", closefd=False))
        output = CountedOutput(stream, encoding="utf-8", errors="backslashreplace", line_buffering=name == "stderr")
        output.counter = counter
        setattr(sys, name, output)
        setattr(sys, f"__{name}__", output)
    return counter


def flush_output() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a student may have replaced or closed it
            stream.flush()
