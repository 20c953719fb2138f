"""Eight gigabytes of mappings: private, shared, growing, locked."""
# group: memory
# rows: passed
# refused: 5

import mmap

from attempt import attempt, module
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
