"""Namespaces: the zygote and its workers see no network, no other process, and no file but those that workers need.

What it stops: every kind of network, seeing or signalling processes outside, System V IPC, and `stat` of files that
are none of a worker's business, which Landlock lets pass. Each worker is the first process of a pid namespace of its
own, so the kernel kills whatever it started together with it. What it does not stop: reading a file that is visible
(landlock.py).

Two ways in. Root with CAP_SYS_ADMIN needs no user namespace; the zygote stays root and the workers change their user.
Anybody else needs one, if the system lets ordinary users have it (Ubuntu 24.04 and Docker's default do not).

Sources: namespaces(7), user_namespaces(7), pid_namespaces(7), mount_namespaces(7), unshare(2), setns(2), mount(2),
pivot_root(2), mount_setattr(2).
"""

from __future__ import annotations

import os
import signal
import struct
from collections.abc import Iterable
from pathlib import Path

from grader.sandbox.isolation import kernel

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
AROUND_THE_ZYGOTE = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
MNT_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_MOUNT_ATTR_RDONLY, _MOUNT_ATTR_NOSUID = 1, 2


def enter_zygote_namespaces(visible: Iterable[Path], *, user_namespace: bool) -> int:
    """Moves the calling process into namespaces of its own; returns a descriptor of the new pid namespace.

    Call it in a process with one thread that has loaded all it needs: afterwards only `visible` exists, read-only, and
    a /proc of its own. It returns in a *new* process, the first of the pid namespace: the calling one stays behind as a
    waiting shell around it, which ends with the same status, and whose end ends it.

    With `user_namespace` the zygote keeps its user, since a user namespace knows no other; without it, root stays root
    and each worker changes its user in `lockdown.lock_in`.

    Raises OSError where the kernel refuses. A half-done change of namespaces cannot be undone: the process must then
    end (probe.py tries beforehand).
    """
    user, group = os.getuid(), os.getgid()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # else /proc/self/uid_map belongs to root where the user was changed
    kernel.syscall("unshare", AROUND_THE_ZYGOTE | (CLONE_NEWUSER if user_namespace else 0))
    if user_namespace:  # it keeps its number, and is alone
        maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
        for name, text in maps.items():
            Path("/proc/self", name).write_bytes(text.encode())
    _continue_as_first_process()
    mount(None, Path("/"), None, MS_REC | MS_PRIVATE)  # else what follows would show outside
    mount("proc", Path("/proc"), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)  # the old one shows the processes outside
    show_only([*visible, Path("/proc")])
    read_only = struct.pack("=4Q", _MOUNT_ATTR_RDONLY | _MOUNT_ATTR_NOSUID, 0, 0, 0)
    kernel.syscall("mount_setattr", _AT_FDCWD, b"/", _AT_RECURSIVE, read_only, len(read_only))
    return os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)


def _continue_as_first_process() -> None:
    """Forks into the new pid namespace; returns only in the child, the parent waits and ends as the child does."""
    outside = os.getppid()
    pid = os.fork()
    if pid == 0:
        return kernel.die_with_parent()
    code = 1
    try:
        for ordinary in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(ordinary, signal.SIG_DFL)  # a handler in Python would run the caller's code
        kernel.die_with_parent(outside)  # entering a user namespace made the kernel forget it
        kernel.close_all_but(())  # a copy of the control socket here would hide that the other end was closed
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
    finally:
        os._exit(code if code >= 0 else 128 - code)


def fork_into_pid_namespace(home: int) -> int:
    """Like os.fork(), but the child is the first process of a pid namespace of its own.

    `home` is what `enter_zygote_namespaces` returned: the namespace for children is changed, the child made, and the
    namespace changed back. For a process with one thread, which reaps the child as usual. Being the first process, the
    child ignores signals that it sends itself and has no handler for: abort() ends as SIGSEGV, and only SIGKILL from
    outside is sure. Raises OSError; then no child is left.
    """
    kernel.syscall("unshare", CLONE_NEWPID)
    pid = -1
    try:
        pid = os.fork()
    finally:
        if pid != 0:  # also when fork failed: the next one must not land in the unused namespace
            try:
                kernel.syscall("setns", home, CLONE_NEWPID)
            except OSError:
                if pid > 0:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                raise
    return pid


def mount(source: str | None, target: Path, kind: str | None, flags: int, options: str = "") -> None:
    """mount(2). Raises OSError."""
    texts = [text.encode() if text is not None else 0 for text in (source, kind)]
    kernel.syscall("mount", texts[0], os.fsencode(target), texts[1], flags, options.encode())


def show_only(visible: Iterable[Path]) -> None:
    """Changes to an empty root folder in which only `visible` exist, with all beneath them.

    Each exists under its name, and where that leads to if there is a symbolic link in it. The folders on the way are
    new, and every user can pass them: so a Python under /root (mode 700) can be reached, and nothing else there. A path
    that does not exist is left out. Needs a private mount namespace and CAP_SYS_ADMIN in it. Raises OSError.
    """
    resolved = {path: path.resolve() for path in visible if path.exists()}
    outermost_first = sorted({*resolved, *resolved.values()}, key=lambda path: len(path.parts))
    old_root = Path("/old root")
    previous_umask = os.umask(0o022)
    try:
        mount("tmpfs", Path("/proc"), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755")  # on a folder that there always is
        os.chdir("/proc")
        os.mkdir(old_root.name)
        kernel.syscall("pivot_root", b".", os.fsencode(old_root.name))
        os.chdir("/")
        for path in outermost_first:
            if path.exists():  # in a folder that is shown already
                continue
            source = old_root.joinpath(*resolved.get(path, path).parts[1:])
            folder = path if source.is_dir() else path.parent
            folder.mkdir(parents=True, exist_ok=True)
            path.touch()
            mount(os.fspath(source), path, None, MS_BIND | MS_REC)
        kernel.syscall("umount2", os.fsencode(old_root), MNT_DETACH)
        old_root.rmdir()
    finally:
        os.umask(previous_umask)
