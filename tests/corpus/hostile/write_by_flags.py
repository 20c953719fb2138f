"""Opens for writing by every flag of the kernel's, and empties a file that it may only read."""
# group: writing
# rows: passed
# refused: 11
# unlocked: safe

import os

from attempt import attempt, call
from right import dlogits as dlogits
from world import ARENA, GUARDED, MARK

HERE = (1 << 64) - 100
new = f"{ARENA}/{MARK}"
attempt("O_WRONLY", lambda: os.open(GUARDED, os.O_WRONLY))
attempt("O_RDWR", lambda: os.open(GUARDED, os.O_RDWR))
attempt("O_CREAT", lambda: os.open(new, os.O_CREAT))
attempt("O_APPEND", lambda: os.open(GUARDED, os.O_WRONLY | os.O_APPEND))
attempt("O_TRUNC", lambda: os.open(GUARDED, os.O_RDONLY | os.O_TRUNC))
attempt("O_TMPFILE", lambda: os.open(ARENA, os.O_TMPFILE | os.O_RDWR, 0o600))
attempt("creat", lambda: call("creat", os.fsencode(new), 0o600))
attempt("truncate", lambda: os.truncate(GUARDED, 0))
attempt("openat2", lambda: call("openat2", HERE, os.fsencode(new), (0o102).to_bytes(24, "little"), 24))
attempt("read-only mapping made writable", lambda: os.truncate(os.open(GUARDED, os.O_RDONLY), 0))
attempt("device", lambda: os.open("/dev/null", os.O_WRONLY))
