"""seccomp: system calls that a worker has no use for are refused by the kernel, whatever the code in it does.

What it stops: starting programs and processes (threads stay possible), sockets of every family, io_uring, signals to
anybody but itself, debugging and reading other processes, opening anything for writing, changing names, modes, times
and attributes of files, shared memory outside the memory limit, namespaces, and outliving the zygote. What it does
not: reading files (landlock.py), using time and memory (limits.py).

A refused call fails with EPERM, so that an honest program gets PermissionError and a line number rather than an end.
Calls newer than this table fail with ENOSYS, as on an older kernel. Another processor's calls (int 0x80, x32), with
which the table could be passed by, end the process.

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

REFUSED: dict[str, str] = {
    "starts a program or a process": "fork vfork execve execveat",
    "makes a namespace or changes what is mounted": """unshare setns mount umount2 pivot_root chroot fsopen fsmount
        fsconfig fspick move_mount open_tree open_tree_attr mount_setattr statmount listmount""",
    "talks to the network or to another process": """socket socketpair connect bind listen accept accept4 sendto
        recvfrom sendmsg recvmsg sendmmsg recvmmsg shutdown getsockname getpeername setsockopt getsockopt""",
    "asynchronous input and output goes past every other rule here": """io_uring_setup io_uring_enter
        io_uring_register io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents""",
    "signals somebody; to itself there is tgkill": "tkill pidfd_send_signal pidfd_open pidfd_getfd",
    "reads or changes another process": """ptrace process_vm_readv process_vm_writev process_madvise process_mrelease
        kcmp get_robust_list perf_event_open move_pages migrate_pages userfaultfd""",
    "changes priorities, also of the zygote under the same user": """setpriority ioprio_set sched_setscheduler
        sched_setparam sched_setattr""",
    "leaves the group in which the worker is killed": "setsid setpgid",
    "writes, makes, renames or removes files (Landlock before Linux 6.2 lets truncate pass)": """creat truncate
        ftruncate fallocate copy_file_range rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat
        mkdir mkdirat rmdir mknod mknodat sync syncfs""",
    "changes modes, owners, times or attributes, which Landlock lets pass": """chmod fchmod fchmodat fchmodat2 chown
        fchown lchown fchownat utime utimes utimensat futimesat setxattr lsetxattr fsetxattr setxattrat removexattr
        lremovexattr fremovexattr removexattrat file_setattr""",
    "watches or locks files, which Landlock lets pass: names of hidden files, or a grader that waits": """inotify_init
        inotify_init1 inotify_add_watch fanotify_init fanotify_mark flock name_to_handle_at open_by_handle_at""",
    "memory that the memory limit does not count": """memfd_create memfd_secret shmget shmat shmctl shmdt semget semop
        semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify
        mq_getsetattr""",
    "moves pages between files and pipes; write-protected files were changed so (CVE-2022-0847)": """splice tee
        vmsplice sendfile""",
    "changes who the worker is": """setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups
        capset personality""",
    "reaches deep into the kernel without an honest use": """bpf seccomp landlock_create_ruleset landlock_add_rule
        landlock_restrict_self lsm_set_self_attr keyctl add_key request_key modify_ldt remap_file_pages""",
    "administers the machine": """swapon swapoff reboot kexec_load kexec_file_load init_module finit_module
        delete_module quotactl quotactl_fd acct settimeofday clock_settime adjtimex clock_adjtime sethostname
        setdomainname iopl ioperm syslog vhangup""",
    "is obsolete": """lookup_dcookie uselib ustat sysfs _sysctl create_module get_kernel_syms query_module nfsservctl
        getpmsg putpmsg afs_syscall tuxcall security vserver epoll_ctl_old epoll_wait_old""",
}
"""Why a call is refused, and which. Names that a processor does not have are passed over."""

# Ranges that were read through, call by call, up to Linux 6.18. What is outside is answered as by an older kernel.
REVIEWED = {"x86_64": ((0, 334), (424, 469)), "aarch64": ((0, 294), (424, 469))}

AUDIT_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x40000000  # set in the call's number by x86_64's third interface

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
_ERRNO = 0x00050000
SECCOMP_MODE_FILTER = 2

# glibc's and musl's pthread_create; nothing else makes a thread, and everything else is a process
THREAD_FLAGS = (0x003D0F00, 0x007D0F00)
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Not among them: F_SETOWN and F_SETSIG,
# which make the kernel send any signal to any process; locks and leases; F_SETPIPE_SZ (kernel memory).
FCNTL_COMMANDS = (0, 1, 2, 3, 4, 1030, 1032)
# TCGETS (isatty), TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Not: TIOCSTI (types into the terminal), FIOASYNC.
IOCTL_COMMANDS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# A thread's name, and glibc's names for memory. Not: PR_SET_PDEATHSIG, with which a worker would outlive the zygote.
PRCTL_OPTIONS = (kernel.PR_SET_NAME, kernel.PR_GET_NAME, kernel.PR_SET_VMA)
# O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_TMPFILE: there is no place to write to. Landlock before version 3 does not
# see O_RDONLY | O_TRUNC, which empties a file.
WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | 0o20000000


class Instruction(NamedTuple):
    """One instruction of classic BPF (struct sock_filter): `yes` and `no` count instructions to skip forward."""

    code: int
    yes: int
    no: int
    value: int


# Memory that a process holds without having it in its own page tables, so that its resident memory says too little:
# shared memory without a file, whose pages can be dropped from the tables and found again, and pages sent to swap.
MAP_SHARED, MAP_ANONYMOUS, MADV_PAGEOUT = 0x01, 0x20, 21

LOAD, JUMP, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, JUMP_IF_ANY_BIT, RETURN = 0x20, 0x05, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_OWN_PID = 0xFEEDFACE  # stands for the worker's pid in a program that is assembled once, before the fork

FilterProgram = tuple[Instruction, ...]


def return_action(action: int) -> FilterProgram:
    return (Instruction(RETURN, 0, 0, action),)


def refuse(error: int = errno.EPERM) -> FilterProgram:
    return return_action(_ERRNO | error)


def load_argument(index: int) -> Instruction:
    """The lower 32 bits of a call's argument, counted from 0; all arguments tested here are 32-bit or use no more."""
    return Instruction(LOAD, 0, 0, _ARGUMENTS + 8 * index)


def only_if_argument(index: int, allowed: Sequence[int], otherwise: FilterProgram) -> FilterProgram:
    """Allows the call if its argument is one of `allowed`."""
    tests = [Instruction(JUMP_IF_EQUAL, len(allowed) - i - 1 + len(otherwise), 0, v) for i, v in enumerate(allowed)]
    return (load_argument(index), *tests, *otherwise, *return_action(ALLOW))


def unless_argument_has(index: int, bits: int, otherwise: FilterProgram) -> FilterProgram:
    """Allows the call unless its argument has one of `bits`."""
    return (
        load_argument(index),
        Instruction(JUMP_IF_ANY_BIT, 0, len(otherwise), bits),
        *otherwise,
        *return_action(ALLOW),
    )


def unless_argument_has_all(index: int, bits: Sequence[int], otherwise: FilterProgram) -> FilterProgram:
    """Allows the call unless its argument has each of `bits`."""
    last = len(bits) - 1
    tests = [Instruction(JUMP_IF_ANY_BIT, 0, last - i + len(otherwise), bit) for i, bit in enumerate(bits)]
    return (load_argument(index), *tests, *otherwise, *return_action(ALLOW))


def unless_argument_is(index: int, value: int, otherwise: FilterProgram) -> FilterProgram:
    """Allows the call unless its argument is `value`."""
    return (
        load_argument(index),
        Instruction(JUMP_IF_EQUAL, 0, len(otherwise), value),
        *otherwise,
        *return_action(ALLOW),
    )


def conditional() -> dict[str, FilterProgram]:
    """Calls whose arguments decide. Each program ends in an answer on every way."""
    only_me = only_if_argument(0, (_OWN_PID,), refuse())
    me_or_zero = only_if_argument(0, (0, _OWN_PID), refuse())
    return {
        "clone": only_if_argument(0, THREAD_FLAGS, refuse()),
        "clone3": refuse(errno.ENOSYS),  # its flags are in memory, which no filter can read; libc then takes clone
        "openat2": refuse(errno.ENOSYS),  # likewise
        "open": unless_argument_has(1, WRITING_FLAGS, refuse()),
        "openat": unless_argument_has(2, WRITING_FLAGS, refuse()),
        "kill": only_me,  # not 0 or negative: a group, or everybody
        "tgkill": only_me,
        "rt_sigqueueinfo": only_me,
        "rt_tgsigqueueinfo": only_me,
        "prlimit64": me_or_zero,
        "sched_setaffinity": me_or_zero,
        "fcntl": only_if_argument(1, FCNTL_COMMANDS, refuse()),
        "ioctl": only_if_argument(1, IOCTL_COMMANDS, refuse(errno.ENOTTY)),
        "prctl": only_if_argument(0, PRCTL_OPTIONS, refuse()),
        "mmap": unless_argument_has_all(3, (MAP_ANONYMOUS, MAP_SHARED), refuse()),
        "madvise": unless_argument_is(2, MADV_PAGEOUT, refuse()),
    }


def decide(ranges: Sequence[tuple[int, FilterProgram]]) -> FilterProgram:
    """Binary search over the loaded number: `ranges` are (first number, what then) in ascending order.

    The kernel runs the filter at every call that it cannot answer from its cache, so a list of 200 tests would be
    felt. A conditional jump reaches 255 instructions; further it takes an unconditional one.
    """
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below, above = decide(ranges[:middle]), decide(ranges[middle:])
    first = ranges[middle][0]
    if len(below) <= 255:
        return (Instruction(JUMP_IF_AT_LEAST, len(below), 0, first), *below, *above)
    far = Instruction(JUMP, 0, 0, len(below))
    return (Instruction(JUMP_IF_AT_LEAST, 0, 1, first), far, *below, *above)


def program(machine: str) -> FilterProgram:
    """The whole filter for `machine`, one of kernel.ARCHITECTURES, with _OWN_PID where the pid goes."""
    numbers = kernel.numbers(machine)
    unknown = refuse(errno.ENOSYS)
    by_number = {numbers[name]: refuse() for names in REFUSED.values() for name in names.split() if name in numbers}
    by_number.update({numbers[name]: then for name, then in conditional().items() if name in numbers})
    ranges: list[tuple[int, FilterProgram]] = []
    for low, high in REVIEWED[machine]:
        ranges += [(number, by_number.get(number, return_action(ALLOW))) for number in range(low, high + 1)]
        ranges.append((high + 1, unknown))
    joined = [entry for i, entry in enumerate(ranges) if i == 0 or entry[1] != ranges[i - 1][1]]
    other_processor = (Instruction(JUMP_IF_EQUAL, 1, 0, AUDIT_ARCHITECTURE[machine]), *return_action(KILL_PROCESS))
    x32 = (Instruction(JUMP_IF_AT_LEAST, 0, 1, X32), *return_action(KILL_PROCESS)) if machine == "x86_64" else ()
    load_architecture, load_number = Instruction(LOAD, 0, 0, _ARCHITECTURE), Instruction(LOAD, 0, 0, _NUMBER)
    return (load_architecture, *other_processor, load_number, *x32, *decide(joined))


def assemble(instructions: FilterProgram, pid: int) -> bytes:
    """The kernel's form of a program (an array of struct sock_filter), for the process `pid`."""
    return b"".join(struct.pack("=HBBI", *i[:3], pid if i.value == _OWN_PID else i.value) for i in instructions)


@cache
def _template(machine: str) -> tuple[bytes, tuple[int, ...]]:
    """The assembled filter, and the byte offsets where the pid goes: filling it in takes microseconds."""
    instructions = program(machine)
    return assemble(instructions, 0), tuple(8 * i + 4 for i, one in enumerate(instructions) if one.value == _OWN_PID)


def prepare() -> None:
    """Assembles the filter, so that workers forked later need not. Raises OSError (ENOSYS) on an unknown processor."""
    machine = kernel.architecture()
    if machine is None:
        raise OSError(errno.ENOSYS, "seccomp: the numbers of this processor's system calls are not known here")
    _template(machine)


def install_filter() -> None:
    """Puts the filter on this thread and on everything it starts later, for good.

    Call `capabilities.no_new_privileges` first, and this last: nothing can be set up afterwards. Raises OSError.
    """
    prepare()
    machine = kernel.architecture()
    assert machine is not None  # prepare raised otherwise
    template, pid_offsets = _template(machine)
    code = bytearray(template)
    for offset in pid_offsets:
        struct.pack_into("=I", code, offset, os.getpid())
    install(bytes(code))


def install(code: bytes) -> None:
    """Puts an assembled filter on this thread. Raises OSError."""
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))  # struct sock_fprog
    pointer = ctypes.create_string_buffer(header)
    kernel.prctl(kernel.PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(pointer))
