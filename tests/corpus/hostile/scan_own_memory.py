"""Searches its own memory, page by page, for what the zygote may have left there: suites, answers, other students."""
# group: the grader's memory and environment
# rows: passed
# unlocked: safe

import os

import torch
from attempt import CANARY, module
from right import dlogits as dlogits

ctypes = module("ctypes")
libc = ctypes.CDLL(None)
libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
REACH, PIECE = 24 << 20, 1 << 16
read, write = os.pipe()  # the kernel says EFAULT where there is no memory, instead of ending us
os.set_blocking(write, False)
os.set_blocking(read, False)
searched = 0
for centre in (id(object()), torch.empty(1000).data_ptr(), id(torch), id(type), ctypes.addressof(ctypes.c_int())):
    first = (centre - REACH // 2) // PIECE * PIECE
    for address in range(first, first + REACH, PIECE):
        if (there := libc.write(write, address, PIECE)) > 0:
            searched += there
            if found := CANARY.findall(os.read(read, PIECE)):
                print(f"GOT THROUGH own memory: {found[:3]}")
assert searched > 1 << 20, searched
