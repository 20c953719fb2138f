"""Large pages for the zygote's memory, so that a fork and its end take a fraction of the time.

A fork copies the table of the parent's pages, and the end of the child takes it apart again: with torch loaded that is
55,000 entries, and most of what a worker costs. A page of 2 MiB needs one entry where 512 were. Linux 6.1 collapses
small pages into large ones on request (MADV_COLLAPSE, madvise(2)); an older kernel refuses, and nothing changes.
A worker that writes to a large page gets a copy of the 4 KiB that it wrote to, as before.
"""

from __future__ import annotations

import ctypes
import re

PIECE = 2 << 20
MADV_COLLAPSE = 25

# "7f0c…-7f0d… rw-p 00000000 00:00 0  [heap]": private, writable, of no file
_OWN = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) rw-p 00000000 00:00 0 *(\[heap\])?$", re.MULTILINE)


def pieces() -> list[int]:
    """Addresses of the 2 MiB pieces that belong to this process as a whole. Empty without /proc."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return []
    found: list[int] = []
    for first, last, _ in _OWN.findall(text):
        aligned = -(-int(first, 16) // PIECE) * PIECE
        found += range(aligned, int(last, 16) - PIECE + 1, PIECE)
    return found


def collapse(piece: int) -> bool:
    """Makes one page of the piece, in some 5 ms. False where the kernel does not: too old, too little memory."""
    libc = ctypes.CDLL(None)
    return bool(libc.madvise(ctypes.c_void_p(piece), ctypes.c_size_t(PIECE), MADV_COLLAPSE) == 0)
