"""What one submission may use: every default in one place, and the part of it that the kernel enforces.

Deadlines, output and operators are kept by the trusted side (the kernel has no such limit); processor time,
memory, files, threads are resource limits that `apply` sets in the worker. What they stop: 8 GiB allocated in one
line, an endless loop whose deadline nobody watches any more, a thread bomb, a file that fills the disk.

Source: getrlimit(2), proc_pid_statm(5).
"""

from __future__ import annotations

import os
import resource
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """Limits of one worker. `seconds` are of processor time, or six times as many of wall time, see waiting.py.

    Raises ValueError for a negative limit.
    """

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

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not value >= 0:  # NaN is not either
                raise ValueError(f"the limit {name} is {value}, expected 0 or more")


def tasks_of(user: int) -> int:
    """Threads of `user` that run now, as far as /proc shows them.

    RLIMIT_NPROC counts all threads of a *user*: where a worker keeps the user who started the grading, the limit must
    be larger than what that user's other programs need, or the worker could not start a thread at all.
    """
    count = 0
    for entry in os.scandir("/proc"):
        try:
            if entry.name.isdigit() and entry.stat().st_uid == user:
                count += len(os.listdir(f"/proc/{entry.name}/task"))
        except OSError:  # it ended meanwhile
            continue
    return count


def apply(limits: Limits, other_threads: int = 0) -> None:
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
