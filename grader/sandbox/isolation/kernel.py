"""Calls of the kernel that Python's standard library has no function for, by their names.

Linux on x86_64 and aarch64. The module can be imported anywhere; on another system or processor every call raises
OSError (ENOSYS), and `supported()` says so beforehand.

Sources: syscall(2), prctl(2), close_range(2), pidfd_open(2).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import select
import signal
import sys
from collections.abc import Iterable
from functools import cache

from grader.sandbox.isolation.system_calls import ARCHITECTURES, numbers

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NAME = 15
PR_GET_NAME = 16
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_SET_VMA = 0x53564D41


def architecture() -> str | None:
    """The processor, if this process runs on Linux and the table has its numbers; else None."""
    machine = platform.machine()
    sixty_four_bits = sys.maxsize > 1 << 32  # a 32-bit Python on a 64-bit kernel uses other numbers
    return machine if sys.platform == "linux" and sixty_four_bits and machine in ARCHITECTURES else None


def supported() -> bool:
    return architecture() is not None


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def syscall(name: str, *arguments: int | bytes) -> int:
    """Calls the kernel directly. Bytes are passed as a pointer to them.

    Raises OSError with the kernel's error number; ENOSYS where this system has no such call.
    """
    machine = architecture()
    number = numbers(machine).get(name) if machine else None
    if number is None:
        raise OSError(errno.ENOSYS, f"{name}: no such system call on {platform.system()} {platform.machine()}")
    converted = [ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_ulong(a) for a in arguments]
    result: int = _libc().syscall(ctypes.c_long(number), *converted)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def prctl(option: int, *arguments: int) -> int:
    """prctl(2); arguments not given are 0, as the newer options demand. Raises OSError."""
    return syscall("prctl", option, *(*arguments, 0, 0, 0, 0)[:4])


def close_all_but(keep: Iterable[int]) -> None:
    """Closes every descriptor of this process except those in `keep`. Raises OSError.

    A worker must not inherit the zygote's control socket, or a pipe that another process waits on: a student who held
    one could talk to the zygote, or keep the trusted side waiting for an end of file.
    """
    first, end = 0, 1 << 32 if supported() else os.sysconf("SC_OPEN_MAX")
    for descriptor in (*sorted(set(keep)), end):
        if descriptor > first and supported():
            syscall("close_range", first, descriptor - 1, 0)
        elif descriptor > first:
            os.closerange(first, descriptor)
        first = descriptor + 1


def die_with_parent(parent: int | None = None) -> None:
    """Asks the kernel to kill this process when its parent ends; elsewhere than on Linux, nothing. Raises OSError.

    `parent` is a pidfd of the parent, opened before the fork: a parent that had ended before this call sends no
    signal any more, and in a new pid namespace getppid() is 0 whether it lives or not.

    The kernel forgets the request when the process changes its user: call it again then. "Parent" is the *thread*
    that forked (PR_SET_PDEATHSIG in prctl(2)): start a zygote from a thread that lives as long.
    """
    if not supported():
        return
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None:
        poll = select.poll()
        poll.register(parent, select.POLLIN)  # readable as soon as that process has ended
        if poll.poll(0):
            os._exit(1)
