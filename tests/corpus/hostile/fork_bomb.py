"""Forks for ever, by Python's function and by the system calls below it."""
# group: processes
# rows: passed
# refused: 8

import os

from attempt import attempt, call, module
from right import dlogits as dlogits

SIGCHLD = 17


def bomb(fork):
    for _ in range(20):
        if fork() == 0:
            module("time").sleep(60)


attempt("fork", lambda: bomb(os.fork))
attempt("libc's fork", lambda: bomb(module("ctypes").CDLL(None).fork) or os.waitpid(-1, 0))
attempt("vfork", lambda: call("vfork"))
attempt("clone", lambda: bomb(lambda: call("clone", SIGCHLD, 0, 0, 0, 0)))
attempt("clone with memory", lambda: call("clone", 0x00000100 | 0x00004000 | SIGCHLD, 0, 0, 0, 0))
attempt("clone3", lambda: bomb(lambda: call("clone3", b"\0" * 32 + bytes([SIGCHLD]) + b"\0" * 55, 88)))
attempt("forkpty", lambda: bomb(lambda: os.forkpty()[0]))
attempt("multiprocessing", lambda: bomb(lambda: module("multiprocessing").get_context("fork").Process().start()))
