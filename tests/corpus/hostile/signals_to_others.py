"""Signals and priorities of the zygote, the grader and others."""
# rows: passed

import os

from attempt import attempt, call
from right import dlogits as dlogits
from world import PIDS

# === kill_others: Kills everybody whom it may signal: all, its group, its parent, the zygote, the grader.

import signal

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

# === renice: Slows the zygote and the grader down, and hurries itself.

import resource

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

# === signal_by_descriptor: Lets the kernel send the signal: a pipe whose owner is the grader and whose news is
#     SIGKILL.

import fcntl
import struct
import termios

F_SETSIG, F_SETOWN_EX, SIOCSPGRP, FIOSETOWN, FIOASYNC = 10, 15, 0x8902, 0x8901, 0x5452
read, write = os.pipe()
for pid in [*PIDS, os.getppid() or 1]:
    attempt("F_SETOWN", lambda pid=pid: fcntl.fcntl(read, fcntl.F_SETOWN, pid))
    attempt("F_SETOWN_EX", lambda pid=pid: fcntl.fcntl(read, F_SETOWN_EX, struct.pack("ii", 1, pid)))
    attempt("FIOSETOWN", lambda pid=pid: fcntl.ioctl(read, FIOSETOWN, struct.pack("i", pid)))
    attempt("SIOCSPGRP", lambda pid=pid: fcntl.ioctl(read, SIOCSPGRP, struct.pack("i", pid)))
attempt("F_SETSIG", lambda: fcntl.fcntl(read, F_SETSIG, 9))
attempt("FIOASYNC", lambda: fcntl.ioctl(read, FIOASYNC, struct.pack("i", 1)))
attempt("TIOCSTI", lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"))
attempt("F_NOTIFY", lambda: fcntl.fcntl(os.open("/usr", os.O_RDONLY), fcntl.F_NOTIFY, 1))
attempt("F_SETLEASE", lambda: fcntl.fcntl(read, fcntl.F_SETLEASE, fcntl.F_RDLCK))
attempt("lockf", lambda: fcntl.lockf(read, fcntl.LOCK_SH))
os.write(write, b"x")
