"""Reads from what it should write to, and writes to what it should read from."""
# group: descriptors
# rows: passed
# refused: 7

import os

from attempt import attempt
from right import dlogits as dlogits

for descriptor in (1, 2, 4):
    attempt(f"read {descriptor}", lambda descriptor=descriptor: os.read(descriptor, 10))
for descriptor in (0, 3):
    attempt(f"write {descriptor}", lambda descriptor=descriptor: os.write(descriptor, b"x"))
attempt("descriptor 5", lambda: os.fstat(5))
attempt("a larger pipe", lambda: __import__("fcntl").fcntl(4, 1031, 1 << 20))
