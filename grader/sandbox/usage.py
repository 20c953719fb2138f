"""What a process used, as the kernel accounts for it: its largest resident memory and its processor time.

The zygote reads it when it reaps a worker (wait4), and the worker reads it once, before the student's file is loaded.
The difference is what the submission used. Nothing that the student's code does can change the kernel's account.

Source: getrusage(2), wait4(2); `ru_maxrss` is in kilobytes on Linux and in bytes on macOS.
"""

from __future__ import annotations

import contextlib
import ctypes
import resource
import sys
from typing import NamedTuple

MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Usage(NamedTuple):
    """`resident_bytes` is the largest resident memory so far; `cpu_seconds` counts all threads, user and system."""

    resident_bytes: int
    cpu_seconds: float


def used_by(usage: resource.struct_rusage) -> Usage:
    return Usage(usage.ru_maxrss * MAXRSS_UNIT, usage.ru_utime + usage.ru_stime)


M_MMAP_THRESHOLD = -3


def release_memory_at_once() -> None:
    """From now on, memory of 64 KiB and more goes back to the kernel as soon as it is freed.

    By default glibc raises this limit whenever a large block is freed, and keeps freed blocks for later: resident
    memory then says more about the order of the allocations than about what is alive. Source: mallopt(3). Other C
    libraries than glibc are left as they are.
    """
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 1 << 16)


def own_usage() -> Usage:
    """What this process has used up to now; in a fork, resident memory includes the pages shared with the parent."""
    return used_by(resource.getrusage(resource.RUSAGE_SELF))
