"""Becomes root, or anybody, and takes capabilities back."""
# group: privileges
# rows: passed
# refused: 11

import os

from attempt import attempt, call
from right import dlogits as dlogits

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
