"""Changes modes, owners, times, attributes and locks of files."""
# group: writing
# rows: passed
# refused: 13
# unlocked: safe

import fcntl
import os

from attempt import attempt, call
from right import dlogits as dlogits
from world import ARENA, GUARDED

attempt("chmod", lambda: os.chmod(GUARDED, 0o777))
attempt("chmod folder", lambda: os.chmod(ARENA, 0o777))
attempt("lchown", lambda: os.lchown(GUARDED, 0, 0))
attempt("chown", lambda: os.chown(GUARDED, os.getuid(), os.getgid()))
attempt("utime", lambda: os.utime(GUARDED, (0, 0)))
attempt("utime without following", lambda: os.utime(GUARDED, (0, 0), follow_symlinks=False))
attempt("setxattr", lambda: os.setxattr(GUARDED, "user.x", b"y"))
attempt("fchmod", lambda: os.fchmod(0, 0o777))
attempt("fchmodat2", lambda: call("fchmodat2", (1 << 64) - 100, os.fsencode(GUARDED), 0o777, 0))
attempt("futimens", lambda: os.utime(0))
attempt("flock", lambda: fcntl.flock(0, fcntl.LOCK_EX))
attempt("fallocate", lambda: os.posix_fallocate(1, 0, 100))
attempt("removexattr", lambda: os.removexattr(GUARDED, "user.x"))
