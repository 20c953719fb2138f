"""Kills everybody whom it may signal: all, its group, its parent, the zygote, the grader."""
# group: signals to others
# rows: passed

import os
import signal

from attempt import attempt, call
from right import dlogits as dlogits
from world import PIDS

for pid in [*PIDS, -1, 0, -os.getpgid(0), os.getppid() or 1 << 22]:
    if pid != os.getpid():
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
            attempt("kill", lambda pid=pid, number=number: os.kill(pid, number))
attempt("killpg", lambda: os.killpg(0, signal.SIGKILL))
attempt("killpg of parent", lambda: os.killpg(os.getpgid(os.getppid()), signal.SIGKILL))
for pid in {*PIDS} - {os.getpid()}:
    attempt("tkill", lambda pid=pid: call("tkill", pid, signal.SIGKILL))
    attempt("tgkill", lambda pid=pid: call("tgkill", pid, pid, signal.SIGKILL))
    attempt("rt_sigqueueinfo", lambda pid=pid: call("rt_sigqueueinfo", pid, signal.SIGKILL, b"\0" * 128))
attempt("pidfd_send_signal", lambda: call("pidfd_send_signal", 3, signal.SIGKILL, 0, 0))
