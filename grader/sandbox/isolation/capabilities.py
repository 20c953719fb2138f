"""Giving up privilege: another user, no capabilities, and no way back.

What it stops: as root without this, every file permission, signal permission and resource limit is void. With
`no_new_privs` no program started later (set-user-ID or with file capabilities) gives anything back.

Sources: capabilities(7), capset(2), prctl(2), credentials(7), the kernel's
Documentation/userspace-api/no_new_privs.rst.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from grader.sandbox.isolation import kernel

CAP_KILL = 5
CAP_SETGID = 6
CAP_SETUID = 7
CAP_SETPCAP = 8
CAP_SYS_ADMIN = 21
HIGHEST_POSSIBLE = 63  # the kernel's interface has 64 bits; version 6.18 uses 41 of them

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
    """No capability can be gained any more, not even by starting a program as root.

    It needs CAP_SETPCAP, so call it before `become`. Without that capability it does nothing: then `no_new_privs`
    alone says the same, and it is applied in every case. Raises OSError for anything else.
    """
    if not has(CAP_SETPCAP):
        return
    for capability in range(HIGHEST_POSSIBLE + 1):
        try:
            kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
        except OSError as error:
            if error.errno == errno.EINVAL and capability:  # past the last one that this kernel knows
                return
            raise


def drop_all() -> None:
    """Gives up every capability of this thread for good. Never needs a privilege. Raises OSError."""
    kernel.prctl(kernel.PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    reduce_to(0)


def reduce_to(mask: int) -> None:
    """Keeps only the capabilities of `mask`, effective and permitted, none to inherit. Raises OSError."""
    low, high = mask & 0xFFFFFFFF, mask >> 32
    kernel.syscall("capset", struct.pack("=Ii", _VERSION_3, 0), struct.pack("=6I", low, low, 0, high, high, 0))
    if effective() != mask:
        raise OSError(errno.EPERM, f"capabilities {effective():#x} instead of {mask:#x} after capset")


def no_new_privileges() -> None:
    """Landlock and seccomp demand it of a process without CAP_SYS_ADMIN; it cannot be undone. Raises OSError."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)


def become(uid: int, gid: int) -> None:
    """Changes user and group for good: real, effective and saved, without supplementary groups.

    The kernel clears the effective and permitted capabilities when root becomes somebody else, forgets the parent
    death signal, and closes /proc/self to other processes of the new user (PR_SET_DUMPABLE in prctl(2)).
    Raises OSError, for example without CAP_SETUID and CAP_SETGID.
    """
    if uid == 0:
        raise ValueError("becoming root is no protection")
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if os.getresuid() != (uid, uid, uid) or os.getresgid() != (gid, gid, gid):
        raise OSError(errno.EPERM, f"still {os.getresuid()} instead of user {uid}")
