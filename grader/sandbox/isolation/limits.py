"""What one submission may use, and what its processes used as the kernel accounts for it.

Deadlines, output and operators are kept by the trusted side (the kernel has no such limit); processor time, memory,
files and threads are resource limits that `apply_limits` sets in the worker. They stop 8 GiB allocated in one line, an
endless loop whose deadline nobody watches any more, a thread bomb, a file that fills the disk.

A worker's account is read when it has ended (wait4), and once by itself before the student's file is loaded. The
difference is what the submission used. Nothing that the student's code does can change it.

Source: getrlimit(2), proc_pid_statm(5), getrusage(2), wait4(2), clock_getcpuclockid(3), mallopt(3), madvise(2).
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import resource
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Of `ru_maxrss`, in bytes."""
_PROCESSOR_CLOCK = 2  # of a process: what its threads have run (the macros of clock_getcpuclockid in Linux)
_M_MMAP_THRESHOLD, _MADV_POPULATE_READ = -3, 22


@dataclass(frozen=True)
class Limits:
    """Limits of one worker. `seconds` are of processor time, or six times as many of wall time, see waiting.py."""

    import_seconds: float = 10.0  # to import the student's file
    step_seconds: float = 10.0  # for one step
    total_seconds: float = 60.0  # for everything of one lesson
    cpu_seconds: int = 60  # processor time of the worker, all threads together
    memory_bytes: int = 1 << 30  # address space above what the zygote already uses
    open_files: int = 64  # the worker itself needs five
    file_bytes: int = 0  # a worker has no place to write to
    output_bytes: int = 1 << 20  # kept of what is printed; the rest is cut with a note
    threads: int = 64  # a process more is never allowed, see seccomp.py
    operators: int = 1_000_000  # aten operators a step: a triple Python loop over a weight matrix needs 700,000


def tasks_of(user: int) -> int:
    """Threads of `user` that run now, as far as /proc shows them.

    RLIMIT_NPROC counts all threads of a *user*: where a worker keeps the user who started the grading, the limit must
    be larger than what that user's other programs need, or the worker could not start a thread at all.
    """
    count = 0
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if entry.name.isdigit() and entry.stat().st_uid == user:
                count += len(os.listdir(f"/proc/{entry.name}/task"))
    return count


def apply_limits(limits: Limits, other_threads: int = 0) -> None:
    """Sets this process's resource limits, soft and hard. Raises OSError or ValueError.

    A process may lower a hard limit but never raise it, so one that is already lower stays as it is.
    RLIMIT_NPROC does nothing for root (getrlimit(2)).
    """
    address_space = int(Path("/proc/self/statm").read_bytes().split()[0]) * resource.getpagesize()
    needed = {
        resource.RLIMIT_AS: address_space + limits.memory_bytes,
        resource.RLIMIT_CPU: limits.cpu_seconds,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NPROC: limits.threads + other_threads,
        resource.RLIMIT_CORE: 0,  # a core file would hold the worker's memory
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: 256,  # timers and queued signals are kernel memory
        resource.RLIMIT_NICE: 0,
        resource.RLIMIT_RTPRIO: 0,
    }
    for kind, value in needed.items():
        # processor time: SIGXCPU at the soft limit can be ignored, SIGKILL one second later cannot
        limit = value + 1 if kind == resource.RLIMIT_CPU else value
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        resource.setrlimit(kind, (min(value, limit), limit))


class Usage(NamedTuple):
    """`resident_bytes` is the largest resident memory so far; `cpu_seconds` counts all threads, user and system."""

    resident_bytes: int
    cpu_seconds: float


def used_by(usage: resource.struct_rusage) -> Usage:
    return Usage(usage.ru_maxrss * MAXRSS_UNIT, usage.ru_utime + usage.ru_stime)


def processor_seconds(pids: Iterable[int]) -> float:
    """What these processes have used, all their threads together; nan where the system does not say.

    They must not have been reaped: one that has ended counts with all that it used.
    """
    try:
        return sum(time.clock_gettime(~pid << 3 | _PROCESSOR_CLOCK) for pid in pids)
    except OSError:
        return math.nan


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
    try:
        mappings = Path("/proc/self/maps").read_text(errors="replace").splitlines()
    except OSError:
        return ()
    fields = [line.split(maxsplit=5) for line in mappings]  # 7f0c…-7f0d… r-xp 00000000 08:01 1234 /lib/libm.so
    spans = [each[0].split("-") for each in fields if "x" in each[1] and each[-1].startswith("/")]
    return tuple((int(start, 16), int(end, 16) - int(start, 16)) for start, end in spans)
