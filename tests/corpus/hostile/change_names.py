"""Makes, renames, links and removes files and folders."""
# group: writing
# rows: passed
# refused: 16
# unlocked: safe

import os

from attempt import attempt, call
from right import dlogits as dlogits
from world import ARENA, GUARDED, MARK

new = f"{ARENA}/{MARK}"
attempt("mkdir", lambda: os.mkdir(new))
attempt("makedirs", lambda: os.makedirs(f"/tmp/{MARK}/deep/er"))
attempt("symlink", lambda: os.symlink("/etc/passwd", new))
attempt("link", lambda: os.link(GUARDED, new))
attempt("rename", lambda: os.rename(GUARDED, new))
attempt("replace", lambda: os.replace(GUARDED, new))
attempt("unlink", lambda: os.unlink(GUARDED))
attempt("rmdir", lambda: os.rmdir(os.path.dirname(GUARDED)))
attempt("mkfifo", lambda: os.mkfifo(new))
attempt("mknod", lambda: os.mknod(new))
attempt("device", lambda: os.mknod(new, 0o020666, os.makedev(1, 1)))
attempt("rmtree", lambda: [os.unlink(path) for path in [GUARDED]])
attempt("renameat2", lambda: call("renameat2", 0, os.fsencode(GUARDED), 0, os.fsencode(new), 0))
attempt("chroot", lambda: os.chroot(ARENA))
attempt("mount", lambda: call("mount", b"x\0", os.fsencode(ARENA), b"tmpfs\0", 0, b"\0"))
attempt("namespace", lambda: call("unshare", 0x10000000 | 0x00020000))
