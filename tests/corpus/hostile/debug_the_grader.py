"""Debugs the grader and its zygote: ptrace, process_vm_readv, pidfd_getfd, kcmp, process_madvise."""
# group: the grader's memory and environment
# rows: passed

import os

from attempt import attempt, call
from right import dlogits as dlogits
from world import PIDS

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
