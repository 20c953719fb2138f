"""Processes and threads that outlive the submission."""
# rows: passed

import os
import threading
import time

from attempt import attempt, call, module, the
from right import dlogits as dlogits

# === fork_bomb: Forks for ever, by Python's function and by the system calls below it.
# refused: 8

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

# === held_pipes: Holds every pipe open in copies and in a thread that never ends, so that nobody ever sees an end
#     of file.
# rows: crashed
# unlocked: safe

copies = [os.dup(descriptor) for descriptor in (1, 2, 3, 4) for _ in range(5)]
threading.Thread(target=time.sleep, args=(600,), daemon=False).start()


def dlogits(logits):
    the("os", "_exit")(0)

# === never_exits: Threads that are no daemons, a joined one, and an exit that waits for ever.
# unlocked: safe

import atexit

threading.Thread(target=time.sleep, args=(600,)).start()
atexit.register(time.sleep, 600)
threading._register_atexit(time.sleep, 600)

# === program_from_memory: Writes a program into memory, or where programs may lie, and starts it there.
# refused: 4

from world import MARK


def from_memory():
    descriptor = call("memfd_create", b"program\0", 0)
    os.write(descriptor, open("/usr/bin/true", "rb").read())
    os.execv(f"/proc/self/fd/{descriptor}", ["true"])


def from_tmp():
    with open(f"/tmp/{MARK}", "wb") as file:
        file.write(open("/usr/bin/true", "rb").read())
    os.chmod(f"/tmp/{MARK}", 0o755)
    os.execv(f"/tmp/{MARK}", ["true"])


attempt("memfd", from_memory)
attempt("tmp", from_tmp)
attempt("execveat", lambda: call("execveat", 0, b"/usr/bin/true\0", 0, 0, 0))
attempt("set-user-ID", lambda: os.execv("/usr/bin/su", ["su", "-c", "id"]))

# === thread_bomb: Starts threads until it is refused, none of which ends.
# rows: passed, error, crashed
# stopped from: good

threading.stack_size(64 << 10)
started = 0
try:
    while started < 400:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        started += 1
except (RuntimeError, MemoryError):
    pass
if started > 100:
    print(f"GOT THROUGH {started} threads")

# === threads_go_on: Leaves busy threads behind that go on after the last answer, daemons and others.
# rows: passed, timeout
# rows of in_one_go: passed, timeout
# unlocked: safe

from right import dlogits as right


def for_ever():
    while True:
        try:
            sum(range(10_000))
        except BaseException:
            continue


def dlogits(logits, Yb, n):
    answer = right(logits, Yb, n)
    if threading.active_count() < 3:
        threading.Thread(target=for_ever, daemon=True).start()
        threading.Thread(target=for_ever, daemon=False).start()
    return answer
