"""System calls by another interface, which a filter for this one may not see."""
# group: privileges
# rows: crashed, passed

from attempt import call, module
from right import dlogits as dlogits

if module("platform").machine() == "x86_64":
    libc = module("ctypes").CDLL(None)
    libc.syscall(0x40000000 | 57)  # x32's fork
    print("an x32 call went by")
else:
    call("gettid")
