"""What a process used, as the kernel accounts for it, and what its memory consists of.

A worker's account is read when it has ended (wait4), and once by itself before the student's file is loaded. The
difference is what the submission used. Nothing that the student's code does can change it.

Source: getrusage(2), wait4(2), clock_getcpuclockid(3), mallopt(3), madvise(2), proc_pid_maps(5).
"""

from __future__ import annotations

import contextlib
import ctypes
import resource
import sys
import time
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Of `ru_maxrss`, in bytes."""
_PROCESSOR_CLOCK = 2  # of a process: what its threads have run (the macros of clock_getcpuclockid in Linux)
_M_MMAP_THRESHOLD, _MADV_POPULATE_READ, _MADV_COLLAPSE = -3, 22, 25
PIECE = 2 << 20
"""Bytes of a large page."""


class Usage(NamedTuple):
    """`resident_bytes` is the largest resident memory so far; `cpu_seconds` counts all threads, user and system."""

    resident_bytes: int
    cpu_seconds: float


def used_by(usage: resource.struct_rusage) -> Usage:
    return Usage(usage.ru_maxrss * MAXRSS_UNIT, usage.ru_utime + usage.ru_stime)


def processor_seconds(pids: Iterable[int]) -> float | None:
    """What these processes have used, all their threads together; None where the system does not say.

    They must not have been reaped: one that has ended counts with all that it used.
    """
    try:
        return sum(time.clock_gettime(~pid << 3 | _PROCESSOR_CLOCK) for pid in pids)
    except OSError:
        return None


def make_memory_telling() -> None:
    """From now on, this process's resident memory follows the memory that it holds, and little else.

    Memory of 64 KiB and more goes back to the kernel as soon as it is freed: by default glibc keeps some for later. And
    all code of the libraries is made resident at once, instead of page by page when it first runs: which operations
    somebody uses would otherwise weigh up to 20 MB. Does nothing on systems that have neither.
    """
    with contextlib.suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, 1 << 16)
        for start, size in code_of_libraries():  # known since the zygote: a worker cannot read /proc
            libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), _MADV_POPULATE_READ)


@cache
def code_of_libraries() -> tuple[tuple[int, int], ...]:
    """(address, bytes) of every executable mapping of a file, when first called; none without /proc."""
    return tuple((start, end - start) for start, end, rights, name in _mappings() if "x" in rights and name[:1] == "/")


def large_pieces() -> list[int]:
    """Addresses of the pieces of PIECE bytes that this process has of its own as a whole; none without /proc.

    A fork copies the table of the parent's pages, and the end of the child takes it apart again: with torch loaded that
    is 55,000 entries, and most of what a worker costs. A large page needs one entry where 512 were.
    """
    own = [(a, b) for a, b, rights, name in _mappings() if rights == "rw-p" and name in ("", "[heap]")]
    return [piece for a, b in own for piece in range(-(-a // PIECE) * PIECE, b - PIECE + 1, PIECE)]


def collapse(piece: int) -> bool:
    """Makes one page of the piece, in some 5 ms. False where the kernel does not: before Linux 6.1, too little memory.

    A worker that writes to a large page gets a copy of the 4 KiB that it wrote to, as before.
    """
    libc = ctypes.CDLL(None)
    return bool(libc.madvise(ctypes.c_void_p(piece), ctypes.c_size_t(PIECE), _MADV_COLLAPSE) == 0)


def _mappings() -> list[tuple[int, int, str, str]]:
    """(start, end, rights, name) of what is mapped: "7f0c…-7f0d… rw-p 00000000 00:00 0  [heap]"."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            entries = [[*line.split(maxsplit=5), ""] for line in file]
    except OSError:
        return []
    spans = [entry[0].split("-") for entry in entries]
    return [(int(a, 16), int(b, 16), each[1], each[5].strip()) for (a, b), each in zip(spans, entries, strict=True)]
