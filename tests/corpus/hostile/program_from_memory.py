"""Writes a program into memory, or where programs may lie, and starts it there."""
# group: processes
# rows: passed
# refused: 4

import os

from attempt import attempt, call
from right import dlogits as dlogits
from world import MARK


def from_memory():
    descriptor = call("memfd_create", b"program\0", 0)
    os.write(descriptor, open("/usr/bin/true", "rb").read())
    os.execv(f"/proc/self/fd/{descriptor}", ["true"])


def from_tmp():
    with open(f"/tmp/{MARK}", "wb") as file:
        file.write(open("/usr/bin/true", "rb").read())
    os.chmod(f"/tmp/{MARK}", 0o755)
    os.execv(f"/tmp/{MARK}", ["true"])


attempt("memfd", from_memory)
attempt("tmp", from_tmp)
attempt("execveat", lambda: call("execveat", 0, b"/usr/bin/true\0", 0, 0, 0))
attempt("set-user-ID", lambda: os.execv("/usr/bin/su", ["su", "-c", "id"]))
