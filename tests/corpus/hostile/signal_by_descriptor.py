"""Lets the kernel send the signal: a pipe whose owner is the grader and whose news is SIGKILL."""
# group: signals to others
# rows: passed

import fcntl
import os
import struct
import termios

from attempt import attempt
from right import dlogits as dlogits
from world import PIDS

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
