"""Looks for secrets in its own environment, arguments, and the copy of them below the stack."""
# group: the grader's memory and environment
# rows: passed
# unlocked: safe

import os
import sys

from attempt import look, module
from right import dlogits as dlogits

ctypes = module("ctypes")
libc = ctypes.CDLL(None)
look("os.environ", dict(os.environ))
look("os.environb", dict(os.environb))
look("arguments", [sys.argv, sys.orig_argv, sys.path, sys.flags])
environment = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
strings = []
while environment[len(strings)]:
    strings.append(environment[len(strings)])
look("libc's environ", strings)
start = ctypes.cast(environment[0], ctypes.c_void_p).value
look("below the stack", ctypes.string_at(start - 2000, 2000 + sum(len(entry) + 1 for entry in strings)))
