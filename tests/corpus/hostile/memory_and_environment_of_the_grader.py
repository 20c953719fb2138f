"""Searches for secrets in the memory and the environment of the grader and the zygote."""
# rows: passed
# unlocked: safe

import os

from attempt import CANARY, attempt, call, look, module, show
from right import dlogits as dlogits
from world import PIDS

# === debug_the_grader: Debugs the grader and its zygote: ptrace, process_vm_readv, pidfd_getfd, kcmp,
#     process_madvise.
# unlocked: no

ATTACH, SEIZE, TRACEME = 16, 0x4206, 0
for pid in [*PIDS, os.getppid() or 1]:
    attempt("ptrace attach", lambda pid=pid: call("ptrace", ATTACH, pid, 0, 0))
    attempt("ptrace seize", lambda pid=pid: call("ptrace", SEIZE, pid, 0, 0))
    attempt("process_vm_readv", lambda pid=pid: call("process_vm_readv", pid, b"\0" * 16, 1, b"\0" * 16, 1, 0))
    attempt("process_vm_writev", lambda pid=pid: call("process_vm_writev", pid, b"\0" * 16, 1, b"\0" * 16, 1, 0))
    attempt("pidfd_open", lambda pid=pid: call("pidfd_open", pid, 0))
    attempt("kcmp", lambda pid=pid: call("kcmp", pid, os.getpid(), 0, 0, 0))
attempt("ptrace traceme", lambda: call("ptrace", TRACEME, 0, 0, 0))
attempt("pidfd_getfd", lambda: call("pidfd_getfd", 4, 0, 0))
attempt("userfaultfd", lambda: call("userfaultfd", 0))
attempt(
    "perf_event_open", lambda: call("perf_event_open", b"\0" * 128, os.getppid(), -1 & 0xFFFFFFFF, -1 & 0xFFFFFFFF, 0)
)

# === find_environment: Looks for secrets in its own environment, arguments, and the copy of them below the stack.

import sys

ctypes = module("ctypes")
libc = ctypes.CDLL(None)
look("os.environ", dict(os.environ))
look("os.environb", dict(os.environb))
look("arguments", [sys.argv, sys.orig_argv, sys.path, sys.flags])
environment = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
strings = []
while environment[len(strings)]:
    strings.append(environment[len(strings)])
look("libc's environ", strings)
start = ctypes.cast(environment[0], ctypes.c_void_p).value
look("below the stack", ctypes.string_at(start - 2000, 2000 + sum(len(entry) + 1 for entry in strings)))

# === read_proc: Reads the environment, memory, files and folders of every process that it can name.
# stopped from: fair

opened = 0
for pid in [*PIDS, *range(1, 30), "self", "thread-self", os.getpid(), os.getppid()]:
    for name in [
        "environ",
        "mem",
        "maps",
        "cmdline",
        "status",
        "stat",
        "auxv",
        "cwd",
        "root",
        "fd",
        "task",
        "syscall",
        "stack",
        "io",
        "fdinfo/4",
        "map_files",
    ]:
        path = f"/proc/{pid}/{name}"
        try:
            got = os.listdir(path) if os.path.isdir(path) else os.open(path, os.O_RDONLY)
            if isinstance(got, int):
                got = os.read(got, 100_000)
        except OSError:
            continue
        opened += 1
        if opened < 5 or b"canary-" in (got if isinstance(got, bytes) else b""):
            print(f"GOT THROUGH {name} of a process: {show(got)}")
attempt("folder of processes", lambda: os.listdir("/proc"))

# === scan_own_memory: Searches its own memory, page by page, for what the zygote may have left there: suites,
#     answers, other students.

import torch

ctypes = module("ctypes")
libc = ctypes.CDLL(None)
libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
REACH, PIECE = 24 << 20, 1 << 16
read, write = os.pipe()  # the kernel says EFAULT where there is no memory, instead of ending us
os.set_blocking(write, False)
os.set_blocking(read, False)
searched = 0
for centre in (id(object()), torch.empty(1000).data_ptr(), id(torch), id(type), ctypes.addressof(ctypes.c_int())):
    first = (centre - REACH // 2) // PIECE * PIECE
    for address in range(first, first + REACH, PIECE):
        if (there := libc.write(write, address, PIECE)) > 0:
            searched += there
            if found := CANARY.findall(os.read(read, PIECE)):
                print(f"GOT THROUGH own memory: {found[:3]}")
assert searched > 1 << 20, searched
