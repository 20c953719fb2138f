"""Every way to take more memory than there is, in the worker, the kernel or the grader."""
# rows: passed

import os

import torch
from attempt import attempt, call, module

# === every_argument_changed: Changes an argument in place in each of its functions: each row is explained, and its
#     line looked for.
# lesson: 03
# rows: failed, missing
# message: in place
# unlocked: safe

def dlogprobs(logprobs, Yb, n):
    logprobs *= 2
    return logprobs


def dprobs(dlogprobs, probs):
    dlogprobs *= 2
    return dlogprobs


def dcounts_sum_inv(dprobs, counts):
    dprobs *= 2
    return dprobs

# === fill_files_in_memory: Memory that belongs to no process: memfd, System V, POSIX, message queues, files in
#     /dev/shm.
# refused: 9

from right import dlogits as dlogits
from world import MARK

CREATE = 0o1000 | 0o600
attempt("memfd", lambda: os.ftruncate(os.memfd_create("x"), 8 << 30))
attempt("memfd_secret", lambda: call("memfd_secret", 0))
attempt("shmget", lambda: call("shmget", 0, 8 << 30, CREATE))
attempt("msgget", lambda: call("msgget", 0, CREATE))
attempt("semget", lambda: call("semget", 0, 1000, CREATE))
attempt("mq_open", lambda: call("mq_open", b"hostile\0", 0o102, 0o600, 0))
attempt("shm_open", lambda: module("_posixshmem").shm_open("/" + MARK, os.O_CREAT | os.O_RDWR, mode=0o600))
attempt("/dev/shm", lambda: open(f"/dev/shm/{MARK}", "wb").write(bytes(1 << 20)))
attempt("shared tensor", lambda: torch.ones(1 << 20).share_memory_())

# === fill_mappings: Eight gigabytes of mappings: private, shared, growing, locked.
# refused: 5

import mmap

from right import dlogits as dlogits

libc = module("ctypes").CDLL(None)


def fill(flags):
    kept = [mmap.mmap(-1, 1 << 28, flags=flags) for _ in range(32)]
    return len(kept)


def grow():
    if libc.sbrk(module("ctypes").c_long(8 << 30)) == -1:
        raise MemoryError


def lock():
    memory = mmap.mmap(-1, 1 << 20)
    address = module("ctypes").addressof(module("ctypes").c_char.from_buffer(memory))
    if libc.mlock(module("ctypes").c_void_p(address), 1 << 20):
        raise MemoryError


attempt("private", lambda: fill(mmap.MAP_PRIVATE))
attempt("shared", lambda: fill(mmap.MAP_SHARED))
attempt("unreserved", lambda: fill(mmap.MAP_PRIVATE | 0x4000))
attempt("brk", grow)
attempt("locked", lock)

# === fill_tensor: Eight gigabytes of ones.
# rows: error, crashed

def dlogits(logits):
    torch.empty(1 << 30, dtype=torch.float64).fill_(1)
    print("GOT THROUGH eight gigabytes")

# === fill_the_kernel: Memory of the kernel: pipes, descriptors, timers, queued signals, watches, keys.
# refused: 5

import signal

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

# === fill_with_small_objects: Small objects until there is no memory left, none of which is large enough to be
#     refused.
# rows: error, crashed, timeout

def dlogits(logits):
    kept = []
    while len(kept) < 8_000_000:
        kept.append(bytes(1000))
    print("GOT THROUGH eight gigabytes")

# === forge_large_answers: Sixty megabytes for every answer, well-formed, in the worker's place: the grader keeps
#     answers for its verdict. On a busy machine its half second is over before enough have come: that stops it as well.
# rows: crashed, timeout
# message: too large | did not return within
# unlocked: safe

from frames import instead_of_answers

BODY = bytes(60_000_000)
instead_of_answers(lambda *_: ({"tensor": {"dtype": "float64", "shape": [7_500_000]}}, BODY))


def dlogits(logits):
    return logits

# === large_answers: Answers every request with sixty megabytes: the grader keeps answers for its verdict, and has
#     less memory.
# rows: shape
# message: a tensor of shape (7500000,), which is too large
# unlocked: safe

def dlogits(logits):
    return torch.ones(7_500_000, dtype=torch.float64)
