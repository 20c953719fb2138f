"""Memory of the kernel: pipes, descriptors, timers, queued signals, watches, keys."""
# group: memory
# rows: passed
# refused: 5

import os
import signal

from attempt import attempt, call
from right import dlogits as dlogits


def many(make, most):
    kept = []
    try:
        while len(kept) < most:
            kept.append(make())
    finally:
        for one in kept:
            for descriptor in one if isinstance(one, tuple) else (one,):
                if isinstance(descriptor, int):
                    os.close(descriptor)
    return most


def signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
    try:
        for _ in range(10_000):
            call("rt_sigqueueinfo", os.getpid(), signal.SIGRTMIN, b"\0" * 8 + b"\xff" * 4 + b"\0" * 116)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, set())


attempt("pipes", lambda: many(os.pipe, 1000))
attempt("descriptors", lambda: many(lambda: os.dup(1), 1000))
attempt("queued signals", signals)
attempt("keys", lambda: call("add_key", b"user\0", b"x\0", bytes(1000), 1000, 0xFFFFFFFD))
attempt("watches", lambda: call("inotify_init1", 0))
