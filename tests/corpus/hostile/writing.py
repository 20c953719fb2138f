"""Every way to write, change or remove a file."""
# rows: passed
# unlocked: safe

import os

from attempt import attempt, call
from right import dlogits as dlogits
from world import ARENA, GUARDED, MARK, OTHER_RESULTS

# === change_attributes: Changes modes, owners, times, attributes and locks of files.
# refused: 13

import fcntl

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

# === change_names: Makes, renames, links and removes files and folders.
# refused: 16

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

# === write_by_flags: Opens for writing by every flag of the kernel's, where anybody may write and where results are.
# refused: 14

HERE = (1 << 64) - 100
new = f"{ARENA}/{MARK}"
attempt("O_WRONLY", lambda: os.open(GUARDED, os.O_WRONLY))
attempt("O_RDWR", lambda: os.open(GUARDED, os.O_RDWR))
attempt("O_CREAT", lambda: os.open(new, os.O_CREAT))
attempt("O_APPEND", lambda: os.open(GUARDED, os.O_WRONLY | os.O_APPEND))
attempt("O_TRUNC", lambda: os.open(GUARDED, os.O_RDONLY | os.O_TRUNC))
attempt("O_TMPFILE", lambda: os.open(ARENA, os.O_TMPFILE | os.O_RDWR, 0o600))
attempt("results", lambda: os.open(OTHER_RESULTS, os.O_WRONLY))
attempt("/tmp", lambda: os.open(f"/tmp/{MARK}", os.O_CREAT))
attempt("here", lambda: os.open(MARK, os.O_CREAT))
attempt("creat", lambda: call("creat", os.fsencode(new), 0o600))
attempt("truncate", lambda: os.truncate(GUARDED, 0))
attempt("openat2", lambda: call("openat2", HERE, os.fsencode(new), (0o102).to_bytes(24, "little"), 24))
attempt("read-only mapping made writable", lambda: os.truncate(os.open(GUARDED, os.O_RDONLY), 0))
attempt("device", lambda: os.open("/dev/null", os.O_WRONLY))
