"""What a process used, as the kernel accounts for it: its largest resident memory, its processor time, its waits.

The zygote reads it when it reaps a worker (wait4), and the worker reads it once, before the student's file is loaded.
The difference is what the submission used. Nothing that the student's code does can change the kernel's account.

Source: getrusage(2), wait4(2); https://docs.kernel.org/scheduler/sched-stats.html for schedstat. `ru_maxrss` is in
kilobytes on Linux and in bytes on macOS.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Scheduled(NamedTuple):
    """Seconds that threads ran on a processor, and that they were ready to run and waited for one."""

    ran: float
    waited: float


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


def own_wait() -> float:
    """How long this thread has waited for a processor, in seconds; 0 where the kernel does not say."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


Threads = dict[tuple[int, str], Scheduled]
"""{(process, thread): its account since it started}"""


class ScheduledTimes:
    """The kernel's account of how processes were scheduled, all their threads together."""

    def __init__(self) -> None:
        self._threads: Threads = {}  # at the last call
        self._ended: Threads = {}  # of processes that ended since then
        self._own_wait = own_wait()

    def note_end(self, last: Threads) -> None:
        """Keep the account of a process that has ended, as `threads_of` read it before the process was reaped."""
        self._ended |= last

    def since_last(self, pids: Iterable[int]) -> Scheduled | None:
        """What these processes ran and waited since the last call, and those that have ended since then.

        What this thread waited counts, too: it starts the processes. None where the kernel does not say.
        """
        before, ended, self._threads, self._ended = self._threads, self._ended, {}, {}
        for pid in pids:
            threads = threads_of(pid)
            if not threads:
                return None
            self._threads |= threads
        zero, own = Scheduled(0.0, 0.0), own_wait()
        here, self._own_wait = own - self._own_wait, own
        changes = [(now, before.get(thread, zero)) for thread, now in (ended | self._threads).items()]
        return Scheduled(sum(n.ran - b.ran for n, b in changes), here + sum(n.waited - b.waited for n, b in changes))


def threads_of(pid: int) -> Threads:
    """The threads of a process; empty where the kernel does not say. Of one that has ended, the first thread."""
    found = {}
    with contextlib.suppress(OSError):
        for entry in os.scandir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError, ValueError, IndexError), open(f"{entry.path}/schedstat", "rb") as file:
                numbers = file.read().split()
                found[pid, entry.name] = Scheduled(int(numbers[0]) / 1e9, int(numbers[1]) / 1e9)
    return found
