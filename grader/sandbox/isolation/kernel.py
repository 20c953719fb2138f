"""Calls of the kernel that Python's standard library has no function for, by their names, and giving up privilege.

Linux on x86_64 and aarch64. The module can be imported anywhere; on another system or processor every call raises
OSError (ENOSYS), and `supported()` says so beforehand.

Sources: syscall(2), prctl(2), close_range(2), capabilities(7), capset(2), credentials(7).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import signal
import struct
import sys
from collections.abc import Iterable

from grader.sandbox.isolation.system_calls import ARCHITECTURES, numbers

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NAME = 15
PR_GET_NAME = 16
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
PR_SET_VMA = 0x53564D41

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long

CAP_KILL, CAP_SETGID, CAP_SETUID, CAP_SYS_ADMIN = 5, 6, 7, 21
CAPABILITY_BITS = 64  # of the kernel's interface; version 6.18 uses 41 of them
_CAPABILITY_VERSION_3 = 0x20080522  # the only version of the structure with 64 bits


def architecture() -> str | None:
    """The processor, if this process runs on Linux and the table has its numbers; else None."""
    machine = platform.machine()
    return machine if sys.platform == "linux" and machine in ARCHITECTURES else None


def supported() -> bool:
    return architecture() is not None


def syscall(name: str, *arguments: int | bytes) -> int:
    """Calls the kernel directly. Bytes are passed as a pointer to them.

    Raises OSError with the kernel's error number; ENOSYS where this system has no such call.
    """
    machine = architecture()
    number = numbers(machine).get(name) if machine else None
    if number is None:
        raise OSError(errno.ENOSYS, f"{name}: no such system call on {platform.system()} {platform.machine()}")
    converted = [ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_ulong(a) for a in arguments]
    result: int = _LIBC.syscall(ctypes.c_long(number), *converted)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def prctl(option: int, *arguments: int) -> int:
    """prctl(2); arguments not given are 0, as the newer options demand. Raises OSError."""
    return syscall("prctl", option, *(*arguments, 0, 0, 0, 0)[:4])


def close_all_but(keep: Iterable[int]) -> None:
    """Closes every descriptor of this process except those in `keep`. Raises OSError.

    A student who held the zygote's control socket could talk to the zygote, and any pipe that another process waits on
    would keep it waiting for an end of file.
    """
    first, end = 0, 1 << 32 if supported() else os.sysconf("SC_OPEN_MAX")
    for descriptor in (*sorted(set(keep)), end):
        if descriptor > first:
            syscall("close_range", first, descriptor - 1, 0) if supported() else os.closerange(first, descriptor)
        first = descriptor + 1


def die_with_parent(parent: int | None = None) -> None:
    """Asks the kernel to kill this process when its parent ends; elsewhere than on Linux, nothing. Raises OSError.

    `parent` is the parent's number: had it ended before this call, it would send no signal any more. The first process
    of a pid namespace sees no parent, but ends with the namespace above it.

    The kernel forgets the request when the process changes its user: call it again then. "Parent" is the *thread*
    that forked (PR_SET_PDEATHSIG in prctl(2)): start a zygote from a thread that lives as long.
    """
    if supported():
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if parent is not None and os.getppid() not in (parent, 0):
            os._exit(1)


# Privilege: as root, every file permission, signal permission and resource limit is void ------------------------------


def capabilities() -> int:
    """The capabilities that this thread can use now, as a bit mask. Raises OSError."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    data = ctypes.create_string_buffer(24)  # twice (effective, permitted, inheritable), the low 32 bits first
    syscall("capget", header, ctypes.addressof(data))
    low, _, _, high, _, _ = struct.unpack("=6I", data.raw)
    return int(low | high << 32)


def has_capabilities(*wanted: int) -> bool:
    """Whether this process can use all of them now."""
    return all(capabilities() >> capability & 1 for capability in wanted)


def drop_bounding_set() -> None:
    """No capability can be gained any more by starting a program as root. Without CAP_SETPCAP it does nothing."""
    with contextlib.suppress(OSError):  # past the last one that this kernel knows
        for capability in range(CAPABILITY_BITS):
            prctl(PR_CAPBSET_DROP, capability)


def reduce_capabilities(mask: int) -> None:
    """Keeps only the capabilities of `mask`, for good. Never needs a privilege. Raises OSError."""
    prctl(PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    syscall("capset", struct.pack("=Ii", _CAPABILITY_VERSION_3, 0), struct.pack("=6I", low, low, 0, high, high, 0))
    if capabilities() != mask:
        raise OSError(errno.EPERM, f"capabilities {capabilities():#x} instead of {mask:#x} after capset")


def become(user: int) -> None:
    """Changes user, and group to the same number, for good: real, effective and saved, without supplementary groups.

    The kernel clears the capabilities when root becomes somebody else, forgets the parent death signal, and closes
    /proc/self to other processes of the new user (PR_SET_DUMPABLE in prctl(2)). Raises OSError.
    """
    if user == 0:
        raise ValueError("becoming root is no protection")
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if {*os.getresuid(), *os.getresgid()} != {user}:
        raise OSError(errno.EPERM, f"still {os.getresuid()} instead of user {user}")
