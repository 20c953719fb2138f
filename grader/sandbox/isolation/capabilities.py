"""Giving up privilege: another user, no capabilities, and no way back.

What it stops: as root without this, every file permission, signal permission and resource limit is void.
Sources: capabilities(7), capset(2), prctl(2), credentials(7).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct

from grader.sandbox.isolation import kernel

CAP_KILL = 5
CAP_SETGID = 6
CAP_SETUID = 7
CAP_SYS_ADMIN = 21
END = 64  # the kernel's interface has 64 bits; version 6.18 uses 41 of them

_VERSION_3 = 0x20080522  # the only version of the structure with 64 bits
_PR_CAP_AMBIENT_CLEAR_ALL = 4


def effective() -> int:
    """The capabilities that this thread can use now, as a bit mask. Raises OSError."""
    header = struct.pack("=Ii", _VERSION_3, 0)
    data = ctypes.create_string_buffer(24)  # twice (effective, permitted, inheritable), the low 32 bits first
    kernel.syscall("capget", header, ctypes.addressof(data))
    low, _, _, high, _, _ = struct.unpack("=6I", data.raw)
    return int(low | high << 32)


def has(*capabilities: int) -> bool:
    """Whether this process can use all of `capabilities` now."""
    mask = effective()
    return all(mask >> capability & 1 for capability in capabilities)


def drop_bounding_set() -> None:
    """No capability can be gained any more by starting a program as root. Without CAP_SETPCAP it does nothing."""
    with contextlib.suppress(OSError):  # past the last one that this kernel knows
        for capability in range(END):
            kernel.prctl(kernel.PR_CAPBSET_DROP, capability)


def reduce_to(mask: int) -> None:
    """Keeps only the capabilities of `mask`, for good. Never needs a privilege. Raises OSError."""
    kernel.prctl(kernel.PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    kernel.syscall("capset", struct.pack("=Ii", _VERSION_3, 0), struct.pack("=6I", low, low, 0, high, high, 0))
    if effective() != mask:
        raise OSError(errno.EPERM, f"capabilities {effective():#x} instead of {mask:#x} after capset")


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
