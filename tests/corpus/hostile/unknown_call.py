"""System calls newer than the filter: what it does not know must not exist."""
# group: privileges
# rows: passed

from attempt import module
from right import dlogits as dlogits

ctypes = module("ctypes")
libc = ctypes.CDLL(None, use_errno=True)
for number in [*range(470, 520), 400, 1000, 4000]:
    if libc.syscall(ctypes.c_long(number), 0, 0, 0, 0, 0, 0) >= 0:
        print(f"GOT THROUGH call {number}")
