"""The filter, run by a simulator on every processor's numbers, and by this machine's kernel."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource
import select
import signal
import socket
import struct
import threading

import pytest

from grader.sandbox.isolation import kernel, seccomp, system_calls

PID = 4711
EPERM, ENOSYS, ENOTTY = (0x00050000 | number for number in (errno.EPERM, errno.ENOSYS, errno.ENOTTY))


def simulate(instructions, number, arguments=(), architecture=None, machine="x86_64", pid=PID):
    """What the kernel answers: classic BPF as linux/filter.h defines it."""
    audit = seccomp.AUDIT_ARCHITECTURE[machine] if architecture is None else architecture
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number, audit, 0, *(a & 2**64 - 1 for a in padded))
    accumulator, at = 0, 0
    for _ in range(len(instructions)):
        operation, value, yes, no = instructions[at]
        value = pid if value == seccomp._OWN_PID else value
        at += 1
        if operation == seccomp.RETURN:
            return value
        if operation == seccomp.LOAD:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif operation == seccomp.AND:
            accumulator &= value
        else:
            is_met = accumulator == value if operation == seccomp.JUMP_IF_EQUAL else accumulator >= value
            at += yes if is_met else no
    raise AssertionError("the program does not end in an answer")


@pytest.fixture(scope="module", params=system_calls.ARCHITECTURES)
def machine(request):
    return request.param


@pytest.fixture(scope="module")
def filter_of(machine):
    return seccomp.program(machine)


pytestmark = pytest.mark.anywhere
in_the_kernel = pytest.mark.skipif(not kernel.supported(), reason="needs Linux on x86_64 or aarch64")

# The table -----------------------------------------------------------------------------------------------------------


def refused(machine):
    named = {row[0] for names in system_calls.REFUSED.values() for row in system_calls.call_rows(names)}
    return {number for name, number in system_calls.numbers(machine).items() if name in named}


def test_every_name_has_a_number_and_one_place():
    texts = (*system_calls.REFUSED.values(), system_calls.ALLOWED)
    names = [row[0] for text in texts for row in system_calls.call_rows(text)]
    assert len(names) == len(set(names))
    assert {"capget", "close_range"} == {*names} - seccomp.ARGUMENT_RULES.keys() - {
        row[0] for names in system_calls.REFUSED.values() for row in system_calls.call_rows(names)
    }


def test_the_program_fits(filter_of):
    assert len(filter_of) <= 4096  # BPF_MAXINSNS
    assert all(max(one.yes, one.no) <= 255 for one in filter_of)


def test_the_pid_is_in_no_other_place(machine):
    """The worker's own takes its place in the assembled filter."""
    code, mark = seccomp.assemble(seccomp.program(machine)), struct.pack("=I", seccomp._OWN_PID)
    assert code.count(mark) == sum(one.value == seccomp._OWN_PID for one in seccomp.program(machine)) > 0


def test_another_processors_calls_end_the_process(filter_of, machine):
    for foreign in (0x40000003, 0x40000028, 0xC000003E, 0xC00000B7):
        if foreign != seccomp.AUDIT_ARCHITECTURE[machine]:
            for number in (0, 39, 500):
                assert simulate(filter_of, number, architecture=foreign, machine=machine) == seccomp.KILL_PROCESS
    for x32 in (0x40000000 | 39, 0xFFFFFFFF):
        assert simulate(seccomp.program("x86_64"), x32) == seccomp.KILL_PROCESS


def test_every_number_is_answered_as_the_table_says(filter_of, machine):
    ruled = {number for name, number in system_calls.numbers(machine).items() if name in seccomp.ARGUMENT_RULES}
    for number in set(range(600)) - ruled:
        reviewed = any(low <= number <= high for low, high in seccomp.REVIEWED[machine])
        expected = ENOSYS if not reviewed else EPERM if number in refused(machine) else seccomp.ALLOW
        assert simulate(filter_of, number, machine=machine) == expected, number


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("clone", [0x003D0F00], seccomp.ALLOW),  # a thread of glibc's
        ("clone", [0x007D0F00], seccomp.ALLOW),  # of musl's
        ("clone", [17], EPERM),  # fork
        ("clone", [0x003D0F00 | 0x10000000], EPERM),  # a thread in a user namespace
        ("clone", [0x003D0F00 & ~0x400], EPERM),  # a thread with descriptors of its own
        ("clone3", [0], ENOSYS),
        ("openat2", [0], ENOSYS),
        ("kill", [PID, 0], seccomp.ALLOW),
        ("kill", [0, 9], EPERM),
        ("kill", [2**64 - 1, 9], EPERM),  # -1: everybody
        ("kill", [PID + 1, 9], EPERM),
        ("tgkill", [PID, 5, 6], seccomp.ALLOW),
        ("tgkill", [1, 1, 9], EPERM),
        ("prlimit64", [0, 7], seccomp.ALLOW),
        ("prlimit64", [PID, 7], seccomp.ALLOW),
        ("prlimit64", [1, 7], EPERM),
        ("openat", [2**64 - 100, 0, 0o2000000], seccomp.ALLOW),  # O_CLOEXEC
        ("openat", [2**64 - 100, 0, 0o1], EPERM),
        ("openat", [2**64 - 100, 0, 0o100], EPERM),
        ("openat", [2**64 - 100, 0, 0o1000], EPERM),  # O_RDONLY | O_TRUNC empties a file
        ("openat", [2**64 - 100, 0, 0o20200000], EPERM),  # O_TMPFILE
        ("fcntl", [3, 4], seccomp.ALLOW),  # F_SETFL
        ("fcntl", [3, 8], EPERM),  # F_SETOWN
        ("fcntl", [3, 10], EPERM),  # F_SETSIG
        ("fcntl", [3, 1024], EPERM),  # F_SETLEASE
        ("fcntl", [3, 1031], EPERM),  # F_SETPIPE_SZ
        ("ioctl", [1, 0x5401], seccomp.ALLOW),  # TCGETS
        ("ioctl", [1, 0x5412], ENOTTY),  # TIOCSTI
        ("prctl", [15], seccomp.ALLOW),  # PR_SET_NAME
        ("prctl", [1, 0], EPERM),  # PR_SET_PDEATHSIG: outliving the zygote
        ("prctl", [4, 1], EPERM),  # PR_SET_DUMPABLE: readable by others
        ("prctl", [22, 2], EPERM),  # PR_SET_SECCOMP
        # memory that resident memory does not show
        *(("mmap", [0, 4096, 3, flags], EPERM) for flags in (0x21, 0x23, 0x4021)),
        *(("mmap", [0, 4096, 3, flags], seccomp.ALLOW) for flags in (0x22, 0x01)),
        ("madvise", [0, 4096, 21], EPERM),  # PAGEOUT
        ("madvise", [0, 4096, 4], seccomp.ALLOW),  # DONTNEED
    ],
)
def test_arguments_decide(filter_of, machine, call, arguments, expected):
    assert simulate(filter_of, system_calls.numbers(machine)[call], arguments, machine=machine) == expected


# The kernel ----------------------------------------------------------------------------------------------------------


def filtered():
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.install_filter()


FORBIDDEN = {  # what the simulator does not show: that the kernel has taken the program as it is
    "fork": os.fork,
    "start a program": lambda: os.execv("/bin/true", ["true"]),
    "socket": socket.socket,
    "signal the parent": lambda: os.kill(os.getppid(), 0),
    "limits of the parent": lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1)),
    "write": lambda: os.open("/tmp/x", os.O_WRONLY | os.O_CREAT),
    "memory outside the limit": lambda: os.memfd_create("x"),
    "have signals sent by the kernel": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid()),
    "io_uring": lambda: kernel.syscall("io_uring_setup", 1, bytes(120)),
    "outlive the zygote": lambda: kernel.prctl(kernel.PR_SET_PDEATHSIG, 0),
}


def in_a_thread(act):
    found = []
    thread = threading.Thread(target=lambda: found.append(act()))
    thread.start()
    thread.join()
    return found[0]


def signal_oneself():
    caught = []
    signal.signal(signal.SIGUSR1, lambda *_: caught.append(1))
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR1)
    assert caught == [1, 1]


def use_a_pipe():
    read, write = os.pipe()
    os.write(write, b"x")
    assert select.select([read], [], [])[0] == [read]


PERMITTED = {
    "read a file": lambda: open(__file__).close(),
    "thread": lambda: in_a_thread(int),
    "signal itself": signal_oneself,
    "pipe": use_a_pipe,
    "is it a terminal?": lambda: os.isatty(0),
    "own limits": lambda: resource.getrlimit(resource.RLIMIT_AS),
    "own processors": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    "memory": lambda: bytearray(64 << 20),
    "import": lambda: __import__("wave"),
    "thread's name": lambda: kernel.prctl(kernel.PR_SET_NAME, ctypes.addressof(ctypes.create_string_buffer(b"x"))),
}


@in_the_kernel
def test_what_the_kernel_refuses_and_permits(in_child, outcome):
    def action():
        filtered()
        refused = {name: outcome(act) for name, act in FORBIDDEN.items()} | {
            "in a thread": in_a_thread(lambda: outcome(socket.socket))
        }
        return refused, {name: outcome(act) for name, act in PERMITTED.items()}

    refused, permitted = in_child(action)
    assert refused == dict.fromkeys([*FORBIDDEN, "in a thread"], "EPERM")
    assert permitted == dict.fromkeys(PERMITTED, "ok")


@in_the_kernel
@pytest.mark.skipif(kernel.architecture() != "x86_64", reason="x32 is a thing of x86_64")
def test_x32_in_the_kernel(in_child):
    def action():
        filtered()
        libc = ctypes.CDLL(None)
        libc.syscall(ctypes.c_long(0x40000000 | 39))
        return "alive"

    assert in_child(action)["signal"] == signal.SIGSYS


def test_unknown_processors_raise(monkeypatch):
    monkeypatch.setattr(kernel, "architecture", lambda: None)
    with pytest.raises(OSError, match="not known"):
        seccomp.install_filter()
