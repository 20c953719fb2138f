"""Other users, other capabilities, and system calls that the filter may not know."""
# rows: passed

from attempt import attempt, call, module
from right import dlogits as dlogits

# === become_another: Becomes root, or anybody, and takes capabilities back.
# refused: 11

import os

attempt("setuid", lambda: os.setuid(0))
attempt("seteuid", lambda: os.seteuid(0))
attempt("setresuid", lambda: os.setresuid(0, 0, 0))
attempt("setgid", lambda: os.setgid(0))
attempt("setgroups", lambda: os.setgroups([0]))
attempt("setfsuid", lambda: call("setfsuid", 0))
attempt("capset", lambda: call("capset", b"\x22\x05\x08\x20\0\0\0\0", b"\xff" * 24))
attempt("keep capabilities", lambda: call("prctl", 8, 1, 0, 0, 0))
attempt("no seccomp", lambda: call("prctl", 22, 0, 0, 0, 0))
attempt("own seccomp", lambda: call("seccomp", 1, 0, b"\0" * 16))
attempt("load a program into the kernel", lambda: call("bpf", 5, b"\0" * 128, 128))

# === unknown_call: System calls newer than the filter: what it does not know must not exist.

ctypes = module("ctypes")
libc = ctypes.CDLL(None, use_errno=True)
for number in [*range(470, 520), 400, 1000, 4000]:
    if libc.syscall(ctypes.c_long(number), 0, 0, 0, 0, 0, 0) >= 0:
        print(f"GOT THROUGH call {number}")
