"""What a process used, as the kernel accounts for it: its largest resident memory and its processor time.

The zygote reads it when it reaps a worker (wait4), and the worker reads it once, before the student's file is loaded.
The difference is what the submission used. Nothing that the student's code does can change the kernel's account.

Source: getrusage(2), wait4(2), clock_getcpuclockid(3). `ru_maxrss` is in kilobytes on Linux and in bytes on macOS.
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
_PROCESSOR_CLOCK = 2  # of a process: what its threads have run (the macros of clock_getcpuclockid in Linux)


class Usage(NamedTuple):
    """`resident_bytes` is the largest resident memory so far; `cpu_seconds` counts all threads, user and system."""

    resident_bytes: int
    cpu_seconds: float


def used_by(usage: resource.struct_rusage) -> Usage:
    return Usage(usage.ru_maxrss * MAXRSS_UNIT, usage.ru_utime + usage.ru_stime)


M_MMAP_THRESHOLD, MADV_POPULATE_READ = -3, 22


def make_memory_telling() -> None:
    """From now on, this process's resident memory follows the memory that it holds, and little else.

    Memory of 64 KiB and more goes back to the kernel as soon as it is freed: by default glibc keeps some for later,
    how much depends on the order of the allocations. And all code of the libraries is made resident at once, instead of
    page by page when it first runs: which operations somebody uses would otherwise weigh up to 20 MB.

    Sources: mallopt(3), madvise(2). Does nothing on systems that have neither.
    """
    with contextlib.suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mallopt(M_MMAP_THRESHOLD, 1 << 16)
        for start, size in code_of_libraries():  # known since the zygote: a worker cannot read /proc
            libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), MADV_POPULATE_READ)


@cache
def code_of_libraries() -> tuple[tuple[int, int], ...]:
    """(address, bytes) of every executable mapping of a file, when first called; none without /proc."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            entries = [line.split(maxsplit=5) for line in file]
    except OSError:
        return ()
    spans = [entry[0].split("-") for entry in entries if "x" in entry[1] and len(entry) > 5 and entry[5][0] == "/"]
    return tuple((int(start, 16), int(end, 16) - int(start, 16)) for start, end in spans)


def own_usage() -> Usage:
    """What this process has used up to now; in a fork, resident memory includes the pages shared with the parent."""
    return used_by(resource.getrusage(resource.RUSAGE_SELF))


def processor_seconds(pids: Iterable[int]) -> float | None:
    """What these processes have used, all their threads together; None where the system does not say.

    They must not have been reaped: one that has ended counts with all that it used.
    """
    try:
        return sum(time.clock_gettime(~pid << 3 | _PROCESSOR_CLOCK) for pid in pids)
    except OSError:
        return None
