"""Slows the zygote and the grader down, and hurries itself."""
# group: signals to others
# rows: passed

import os
import resource

from attempt import attempt, call
from right import dlogits as dlogits
from world import PIDS

for pid in {*PIDS, os.getppid()} - {os.getpid(), 0}:
    attempt("setpriority", lambda pid=pid: os.setpriority(os.PRIO_PROCESS, pid, 19))
    attempt("ioprio_set", lambda pid=pid: call("ioprio_set", 1, pid, 0))
    attempt("scheduler", lambda pid=pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
    attempt("sched_setattr", lambda pid=pid: call("sched_setattr", pid, b"\x30\0\0\0" + b"\0" * 44, 0))
    attempt("affinity", lambda pid=pid: os.sched_setaffinity(pid, {0}))
    attempt("prlimit", lambda pid=pid: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)))
attempt("everybody", lambda: os.setpriority(os.PRIO_USER, 0, 19))
attempt("nice", lambda: os.nice(1))
attempt("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
attempt("more processor time", lambda: resource.setrlimit(resource.RLIMIT_CPU, (10_000, 10_000)))
attempt("outlive the zygote", lambda: call("prctl", 1, 0, 0, 0, 0))
attempt("be debugged", lambda: call("prctl", 4, 1, 0, 0, 0))
