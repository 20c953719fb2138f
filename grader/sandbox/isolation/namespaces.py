"""Namespaces: the zygote and its workers see no network, no other process, and empty folders where secrets are.

What it stops: every kind of network, seeing or signalling processes outside, System V IPC, and `stat` of hidden
files, which Landlock lets pass. Each worker is the first process of a pid namespace of its own, so the kernel kills
whatever it started together with it. What it does not stop: reading other files (landlock.py).

Two ways in. Root with CAP_SYS_ADMIN needs no user namespace; the zygote stays root and the workers change their user.
Anybody else needs one, if the system lets ordinary users have it (Ubuntu 24.04 and Docker's default do not).

Sources: namespaces(7), user_namespaces(7), pid_namespaces(7), mount_namespaces(7), unshare(2), setns(2), mount(2).
"""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Sequence
from pathlib import Path

from grader.sandbox.isolation import capabilities, kernel

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
AROUND_THE_ZYGOTE = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
_INERT = MS_NOSUID | MS_NODEV | MS_NOEXEC


def enter_zygote_namespaces(
    uid: int | None, gid: int | None, hide: Sequence[Path] = (), keep: Sequence[Path] = (), *, user_namespace: bool
) -> int:
    """Moves the calling process into namespaces of its own; returns a descriptor of the new pid namespace.

    Call it early, in a process with one thread. It returns in a *new* process, the first of the pid namespace: the
    calling one stays behind as a waiting shell around it, which ends with the same status, and whose end ends it.

    `uid` and `gid` are the user that workers will have, None to keep this process's own. With `user_namespace` the
    zygote becomes that user here, since a user namespace knows no other; without it, root stays root and each worker
    changes its user in `lockdown.lock_in`.

    Every folder of `hide` is covered with an empty one, except that the paths of `keep` stay visible where they are.
    Without a user namespace, folders that `uid` may not pass on the way to `keep` (say /root, mode 700, with Python
    beneath) are covered likewise, so that workers can reach `keep` and nothing else in them.

    Raises OSError where the kernel refuses, NotADirectoryError for a `hide` that is not a folder. A half-done change of
    namespaces cannot be undone: the process must then end (probe.py tries beforehand).
    """
    if user_namespace:
        if uid is not None and gid is not None and uid != os.getuid():
            capabilities.become(uid, gid)
        inner_uid, inner_gid = os.getuid(), os.getgid()
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # after a change of user /proc/self/uid_map belongs to root otherwise
        kernel.syscall("unshare", AROUND_THE_ZYGOTE | CLONE_NEWUSER)
        _map_only(inner_uid, inner_gid)
    else:
        kernel.syscall("unshare", AROUND_THE_ZYGOTE)
    _continue_as_first_process()
    mount(None, Path("/"), None, MS_REC | MS_PRIVATE)  # else what follows would show outside
    mount("proc", Path("/proc"), "proc", _INERT)  # the old /proc would show the processes outside
    blocking = impassable(keep) if uid is not None and not user_namespace else []
    folders = {folder.resolve(strict=True) for folder in [*hide, *blocking]}
    for folder in sorted(folders, key=lambda f: len(f.parts)):
        if folder.exists():  # not covered together with one above it
            cover(folder, keep)
    return os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)


def fork_into_pid_namespace(home: int) -> int:
    """Like os.fork(), but the child is the first process of a pid namespace of its own.

    `home` is what `enter_zygote_namespaces` returned. No second fork and no waiting in between: the namespace for
    children is changed, the child made, and the namespace changed back. For a process with one thread. The zygote
    reaps the child as usual, by the pid returned. Being the first process, the child ignores signals that it sends
    itself and has no handler for: abort() ends as SIGSEGV, and only SIGKILL from outside is sure.
    Raises OSError; then no child is left.
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
    """mount(2). Raises OSError naming the target."""
    source_pointer = os.fsencode(source) if source is not None else 0
    kind_pointer = kind.encode() if kind is not None else 0
    try:
        kernel.syscall("mount", source_pointer, os.fsencode(target), kind_pointer, flags, options.encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None


def cover(folder: Path, keep: Sequence[Path] = ()) -> None:
    """Lays an empty, read-only folder over `folder`; paths of `keep` beneath it stay visible.

    Needs a mount namespace of its own and CAP_SYS_ADMIN in it. Raises OSError, NotADirectoryError.
    """
    folder = folder.resolve(strict=True)
    if not stat.S_ISDIR(os.stat(folder).st_mode):
        raise NotADirectoryError(f"{folder} is no folder, so it cannot be covered: hide the folder that holds it")
    kept = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in _outermost(keep) if folder in path.parents}
    previous_umask = os.umask(0o022)  # the way to what is kept must be passable
    options = "size=64k,nr_inodes=128,mode=0711" if kept else "size=4k,nr_inodes=1,mode=0"
    try:
        mount("tmpfs", folder, "tmpfs", _INERT, options)
        for path, descriptor in kept.items():
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                path.mkdir(mode=0o755, parents=True)
            else:
                path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
                path.touch()
            mount(f"/proc/self/fd/{descriptor}", path, None, MS_BIND | MS_REC)
        mount(None, folder, None, MS_REMOUNT | MS_RDONLY | _INERT)
    finally:
        os.umask(previous_umask)
        for descriptor in kept.values():
            os.close(descriptor)


def _map_only(uid: int, gid: int) -> None:
    """Inside the new user namespace the process keeps its numbers, and there is no other user."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _continue_as_first_process() -> None:
    """Forks into the new pid namespace; returns only in the child, the parent waits and ends as the child does."""
    shell, outside = os.pidfd_open(os.getpid()), os.getppid()
    pid = os.fork()
    if pid == 0:
        kernel.die_with_parent(shell)
        os.close(shell)
        return
    code = 1
    try:
        for ordinary in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(ordinary, signal.SIG_DFL)  # a handler in Python would run the caller's code
        kernel.die_with_parent()  # entering a user namespace made the kernel forget it
        if os.getppid() != outside:
            return  # to the line below that ends this process, and the zygote with it
        kernel.close_all_but(())  # a copy of the control socket here would hide that the other end was closed
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
    finally:
        os._exit(code if code >= 0 else 128 - code)


def _outermost(paths: Sequence[Path]) -> list[Path]:
    resolved = dict.fromkeys(path.resolve() for path in paths if path.exists())
    return [path for path in resolved if not any(other in path.parents for other in resolved)]


def impassable(paths: Sequence[Path]) -> list[Path]:
    """The outermost folders on the way to `paths` that only their owner or group may pass."""
    found = []
    for path in _outermost(paths):
        for folder in reversed(path.parents):
            if not os.stat(folder).st_mode & stat.S_IXOTH:
                found.append(folder)
                break
    return found
