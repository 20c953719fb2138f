"""seccomp: system calls that a worker has no use for are refused by the kernel, whatever the code in it does.

What it stops: starting programs and processes (threads stay possible), sockets of every family, io_uring, signals to
anybody but itself, debugging and reading other processes, opening anything for writing, changing names, modes, times
and attributes of files, shared memory outside the memory limit, namespaces, and outliving the zygote. What it does
not: reading files (landlock.py), using time and memory (limits.py).

A refused call fails with EPERM, so that an honest program gets PermissionError and a line number rather than an end.
Calls newer than system_calls.py fail with ENOSYS, as on an older kernel. Another processor's calls (int 0x80, x32),
with which the table could be passed by, end the process.

Sources: seccomp(2), syscalls(2), the kernel's Documentation/userspace-api/seccomp_filter.rst, linux/filter.h.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.system_calls import REFUSED, call_rows, numbers

# Ranges that were read through, call by call, up to Linux 6.18. What is outside is answered as by an older kernel.
REVIEWED = {"x86_64": ((0, 334), (424, 469)), "aarch64": ((0, 294), (424, 469))}

_OWN_PID = 0xFEEDFACE  # stands for the worker's pid in a program that is assembled once, before the fork
# O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_TMPFILE: there is no place to write to. Landlock before version 3 does not
# see O_RDONLY | O_TRUNC, which empties a file.
WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | 0o20000000
# Memory that a process holds without having it in its own page tables, so that its resident memory says too little:
# shared memory without a file, whose pages can be dropped from the tables and found again, and pages sent to swap.
MAP_SHARED, MAP_ANONYMOUS, MADV_PAGEOUT = 0x01, 0x20, 21


class ArgumentRule(NamedTuple):
    """A call is allowed if `bits` of one argument, counted from 0, are one of `allowed`; else it fails with `error`.

    Only the lower 32 bits of an argument are read; none of those below uses more.
    """

    argument: int
    allowed: Sequence[int]
    bits: int = 0xFFFFFFFF
    error: int = errno.EPERM


ARGUMENT_RULES = {
    # glibc's and musl's pthread_create; nothing else makes a thread, and everything else is a process
    "clone": ArgumentRule(0, (0x003D0F00, 0x007D0F00)),
    # their flags are in memory, which no filter can read; libc takes clone and openat
    **dict.fromkeys(("clone3", "openat2"), ArgumentRule(0, (), error=errno.ENOSYS)),
    "open": ArgumentRule(1, (0,), WRITING_FLAGS),
    "openat": ArgumentRule(2, (0,), WRITING_FLAGS),
    **dict.fromkeys(("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"), ArgumentRule(0, (_OWN_PID,))),
    **dict.fromkeys(("prlimit64", "sched_setaffinity"), ArgumentRule(0, (0, _OWN_PID))),
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Not: F_SETOWN and F_SETSIG, which
    # make the kernel send any signal to any process; locks and leases; F_SETPIPE_SZ (kernel memory)
    "fcntl": ArgumentRule(1, (0, 1, 2, 3, 4, 1030, 1032)),
    # TCGETS (isatty), TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Not: TIOCSTI (types into the terminal)
    "ioctl": ArgumentRule(1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451), error=errno.ENOTTY),
    # a thread's name, and glibc's names for memory. Not: PR_SET_PDEATHSIG, to outlive the zygote
    "prctl": ArgumentRule(0, (kernel.PR_SET_NAME, kernel.PR_GET_NAME, kernel.PR_SET_VMA)),
    "mmap": ArgumentRule(3, (0, MAP_SHARED, MAP_ANONYMOUS), MAP_SHARED | MAP_ANONYMOUS),
    # advice up to Linux 6.18, with MADV_GUARD_INSTALL and MADV_GUARD_REMOVE
    "madvise": ArgumentRule(2, (*(advice for advice in range(26) if advice != MADV_PAGEOUT), 102, 103)),
}
"""Calls whose arguments decide."""

AUDIT_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x40000000  # set in the call's number by x86_64's third interface

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
FAIL = 0x00050000  # plus an error number
SECCOMP_MODE_FILTER = 2

LOAD, AND, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data


class Instruction(NamedTuple):
    """One instruction of classic BPF (struct sock_filter): `yes` and `no` count instructions to skip forward."""

    code: int
    value: int
    yes: int = 0
    no: int = 0


def program(machine: str) -> list[Instruction]:
    """The whole filter for `machine`, one of ARCHITECTURES, with _OWN_PID where the pid goes.

    The kernel remembers which calls it always allows (from Linux 5.11), so only those with a rule run through this
    often: they come first.
    """
    number_of = numbers(machine)
    code = [Instruction(LOAD, _ARCHITECTURE), Instruction(JUMP_IF_EQUAL, AUDIT_ARCHITECTURE[machine], yes=1)]
    code += [Instruction(RETURN, KILL_PROCESS), Instruction(LOAD, _NUMBER)]
    if machine == "x86_64":
        code += [Instruction(JUMP_IF_AT_LEAST, X32, no=1), Instruction(RETURN, KILL_PROCESS)]
    for name, rule in ARGUMENT_RULES.items():
        if name in number_of:
            tests = [Instruction(JUMP_IF_EQUAL, v, yes=len(rule.allowed) - i) for i, v in enumerate(rule.allowed)]
            code += [Instruction(JUMP_IF_EQUAL, number_of[name], no=len(tests) + 4)]
            code += [Instruction(LOAD, _ARGUMENTS + 8 * rule.argument), Instruction(AND, rule.bits), *tests]
            code += [Instruction(RETURN, FAIL | rule.error), Instruction(RETURN, ALLOW)]
    for name in (row[0] for names in REFUSED.values() for row in call_rows(names)):
        if name in number_of:
            code += [Instruction(JUMP_IF_EQUAL, number_of[name], no=1), Instruction(RETURN, FAIL | errno.EPERM)]
    for low, high in REVIEWED[machine]:
        code += [Instruction(JUMP_IF_AT_LEAST, low, no=2), Instruction(JUMP_IF_AT_LEAST, high + 1, yes=1)]
        code += [Instruction(RETURN, ALLOW)]
    return [*code, Instruction(RETURN, FAIL | errno.ENOSYS)]


def assemble(instructions: Sequence[Instruction]) -> bytes:
    """The kernel's form of a program: an array of struct sock_filter."""
    return b"".join(struct.pack("=HBBI", one.code, one.yes, one.no, one.value) for one in instructions)


@cache
def prepare() -> bytes:
    """The assembled filter: made once, before workers are forked. Raises OSError (ENOSYS) on an unknown processor."""
    machine = kernel.architecture()
    if machine is None:
        raise OSError(errno.ENOSYS, "seccomp: the numbers of this processor's system calls are not known here")
    return assemble(program(machine))


def install_filter() -> None:
    """Puts the filter on this thread and on everything it starts later, for good.

    It needs `no_new_privs`. Call it last: nothing can be set up afterwards. Raises OSError.
    """
    install(prepare().replace(struct.pack("=I", _OWN_PID), struct.pack("=I", os.getpid())))


def install(code: bytes) -> None:
    """Puts an assembled filter on this thread. Raises OSError."""
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))  # struct sock_fprog
    pointer = ctypes.create_string_buffer(header)
    kernel.prctl(kernel.PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(pointer))
