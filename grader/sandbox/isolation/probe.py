"""What this machine offers for locking workers in: every layer is tried, in a throw-away child.

A layer that is only looked up (a kernel version, a file in /proc) may still be refused by a container or a security
module, and a half-done change of namespaces cannot be undone. So each layer is tried, in a child process.
"""

from __future__ import annotations

import errno
import os
import platform
import resource
import select
import signal
import socket
import time
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from grader.sandbox.isolation import capabilities, kernel, landlock, limits, namespaces, seccomp
from grader.sandbox.isolation.landlock import WorkerFiles

NAMESPACES_LAYER = "namespaces"
USER_NAMESPACE = "user namespace"  # how the namespaces are had without CAP_SYS_ADMIN
UID = "uid"
LIMITS = "limits"
NO_NEW_PRIVILEGES = "no new privileges"
LANDLOCK = "landlock"
CAPABILITIES = "capabilities"
SECCOMP = "seccomp"
LAYERS = (NAMESPACES_LAYER, USER_NAMESPACE, UID, LIMITS, NO_NEW_PRIVILEGES, LANDLOCK, CAPABILITIES, SECCOMP)
"""In the order in which they are applied, the zygote's first."""

LEVELS = ("none", "weak", "fair", "good", "strong")

# A user that no distribution gives to anybody (systemd.io/UIDS-GIDS: 65520 to 65533 are unused), and that also a
# container with only 65536 users has. Not nobody (65534), whose processes and files others have too.
WORKER_UID = 65520

TRIAL_SECONDS = 20.0

_WITHOUT = {
    NAMESPACES_LAYER: "No namespaces ({reason}): a student's code can find out whether a hidden file exists, how large"
    " it is and when it was changed.",
    UID: "The worker keeps the user who runs the grading ({reason}): only the other layers stand"
    " between a student's code and that user's files and processes.",
    LIMITS: "No resource limits ({reason}): a student's code can use up the machine's memory until its deadline.",
    NO_NEW_PRIVILEGES: "Privileges can be gained by starting a program ({reason}).",
    LANDLOCK: "No Landlock ({reason}): a student's code can read every file that its user can read, such as hidden"
    " suites, solutions and other submissions.",
    CAPABILITIES: "Capabilities cannot be dropped ({reason}): as root, permissions and limits do not bind.",
    SECCOMP: "No seccomp filter ({reason}): a student's code can start processes, open sockets, signal other processes"
    " and change files that its user may change.",
}
_THREADS_OF_ROOT = (
    "The kernel does not count the threads of root: a student's code can start as many as its memory allows. Run the"
    " grading as an ordinary user, or make Python readable for every user."
)


@dataclass(frozen=True)
class Isolation:
    """What a probe found. Each sentence of `missing` says why a layer is not there and what that leaves open."""

    level: str
    layers: tuple[str, ...]
    missing: tuple[str, ...]

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Isolation:
        """From the result of dataclasses.asdict, as it comes back from JSON."""
        return cls(values["level"], tuple(values["layers"]), tuple(values["missing"]))


def at_least(level: str, required: str) -> bool:
    """Whether `level` is `required` or better. Raises ValueError for an unknown level."""
    for word in (level, required):
        if word not in LEVELS:
            raise ValueError(f"{word!r} is no isolation level; there are {', '.join(LEVELS)}")
    return LEVELS.index(level) >= LEVELS.index(required)


def avoid_above(level: str) -> tuple[str, ...]:
    """The layers to leave out in `probe` so that no better level than `level` is reached, for tests and comparisons."""
    best_without = {"good": (NAMESPACES_LAYER,), "fair": (UID,), "weak": (LANDLOCK,), "none": LAYERS}
    return tuple(layer for name, layers in best_without.items() if at_least(name, level) for layer in layers)


def probe(avoid: Collection[str] = ()) -> Isolation:
    """Tries every layer except those in `avoid`. Never raises, changes nothing in this process, takes some 50 ms.

    When the user WORKER_UID cannot read what workers need, as with a Python under /root, and no mount namespace can
    change that, the workers keep their user and the level says so.
    """
    if not kernel.supported():
        system = f"{platform.system()} on {platform.machine()}"
        sentence = f"No layer is known for {system}: a student's code can do whatever its user can, until its deadline."
        return Isolation("none", (), (sentence,))
    files = landlock.worker_files()
    failures = {layer: "left out on request" for layer in avoid}

    for layer, trial in (
        (LIMITS, _try_limits),
        (NO_NEW_PRIVILEGES, capabilities.no_new_privileges),
        (LANDLOCK, partial(_try_landlock, files)),
        (CAPABILITIES, capabilities.drop_all),
        (SECCOMP, _try_seccomp),
    ):
        if layer not in failures and (reason := _attempt(trial)):
            failures[layer] = reason
    user = os.geteuid()
    if user != 0:
        failures.setdefault(UID, "only root can change it")
    if NAMESPACES_LAYER in failures:
        failures[USER_NAMESPACE] = failures[NAMESPACES_LAYER]
        if UID not in failures and (reason := _attempt(partial(_try_uid, files))):
            failures[UID] = reason
    else:
        _find_namespaces(files, failures)

    held = tuple(layer for layer in LAYERS if layer not in failures)
    level = level_of(held, root=user == 0)
    sentences = dict(_WITHOUT)
    if level == "strong":
        del sentences[UID]  # an ordinary user's namespace holds what another user would
    missing = [
        sentences[layer].format(reason=failures[layer]) for layer in LAYERS if layer in failures and layer in sentences
    ]
    if user == 0 and UID in failures:
        missing.append(_THREADS_OF_ROOT)
    return Isolation(level, held, tuple(missing))


def level_of(layers: Collection[str], root: bool) -> str:
    """The level that `layers` make. A worker that stays root is never better than fair."""
    held = set(layers)
    if not {LIMITS, NO_NEW_PRIVILEGES, CAPABILITIES, SECCOMP, LANDLOCK} <= held:
        return "weak" if held & {SECCOMP, LANDLOCK} else "none"
    if NAMESPACES_LAYER in held and (UID in held or not root):
        return "strong"
    return "good" if UID in held else "fair"


def _find_namespaces(files: WorkerFiles, failures: dict[str, str]) -> None:
    """Tries the ways into namespaces, the best first, and notes in `failures` what none of them gave."""
    users = [WORKER_UID, None] if UID not in failures else [None]
    ways: list[tuple[int | None, bool]] = []
    if capabilities.has(capabilities.CAP_SYS_ADMIN):
        ways += [(user, False) for user in users]
    if USER_NAMESPACE not in failures:
        ways += [(user, True) for user in users]
    reasons: list[str] = []
    for user, with_user_namespace in ways:
        reason = _attempt(partial(_try_namespaces, user, with_user_namespace, files))
        if reason is None:
            if not with_user_namespace:
                failures[USER_NAMESPACE] = "not needed"
            if user is None and UID not in failures:
                failures[UID] = reasons[0]
            return
        reasons.append(reason)
    failures[NAMESPACES_LAYER] = reasons[-1] if reasons else "neither CAP_SYS_ADMIN nor a user namespace"
    failures[USER_NAMESPACE] = failures[NAMESPACES_LAYER]
    if UID not in failures and (reason := _attempt(partial(_try_uid, files))):
        failures[UID] = reason


def _try_limits() -> None:
    limits.apply(limits.Limits())
    if resource.getrlimit(resource.RLIMIT_FSIZE)[1] != 0:
        raise OSError(errno.EPERM, "a limit that was set does not hold")


def _try_landlock(files: WorkerFiles) -> None:
    capabilities.no_new_privileges()
    landlock.restrict(files.readable, files.listed)
    _must_fail("Landlock lets the root folder be listed", lambda: os.listdir("/"))


def _try_seccomp() -> None:
    capabilities.no_new_privileges()
    seccomp.install_filter()
    _must_fail("the filter lets a socket be made", socket.socket)
    _must_fail("the filter lets a file be opened for writing", lambda: os.open(os.devnull, os.O_WRONLY))


def _try_uid(files: WorkerFiles) -> None:
    if not capabilities.has(capabilities.CAP_SETUID, capabilities.CAP_SETGID, capabilities.CAP_KILL):
        # without the last one, a worker that is another user could not be killed
        raise OSError(errno.EPERM, "root lacks CAP_SETUID, CAP_SETGID or CAP_KILL here")
    capabilities.become(WORKER_UID, WORKER_UID)
    _must_be_able_to_read(files)


def _try_namespaces(uid: int | None, user_namespace: bool, files: WorkerFiles) -> None:
    home = namespaces.enter_zygote_namespaces(uid, uid, files.visible, user_namespace=user_namespace)
    pid = namespaces.fork_into_pid_namespace(home)
    if pid:
        _, status = os.waitpid(pid, 0)
        os._exit(os.waitstatus_to_exitcode(status))  # the child has reported how it went
    if os.getpid() != 1:
        raise OSError(errno.EPERM, "a fork did not get a pid namespace of its own")
    if uid is not None and uid != os.getuid():
        _try_uid(files)
    else:
        _must_be_able_to_read(files)


def _must_fail(complaint: str, forbidden: Callable[[], object]) -> None:
    try:
        forbidden()
    except PermissionError:
        return
    raise OSError(errno.EPERM, complaint)


def _must_be_able_to_read(files: WorkerFiles) -> None:
    for path in (*files.readable, Path(os.__file__)):
        if not os.access(path, os.R_OK | (os.X_OK if os.path.isdir(path) else 0)):
            raise OSError(errno.EACCES, f"user {os.getuid()} cannot read {path}")


def _attempt(trial: Callable[[], object]) -> str | None:
    """Runs `trial` in a fork that ends with it; None if it went well, else the reason in words."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns of a fork while there are threads: the child here only makes system calls and ends
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            trial()
            os.write(write, b"+")
        except BaseException as error:
            os.write(write, _in_words(error).encode()[:500])
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb", buffering=0) as pipe:
        report = _until_closed(pipe.fileno())
    if report is None:
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    if report is None:
        return f"the trial did not end within {TRIAL_SECONDS:g} s"
    return None if report == b"+" else report.decode(errors="replace") or "the trial ended without a word"


def _in_words(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror + (f": {error.filename}" if error.filename else "")
    return str(error) or type(error).__name__


def _until_closed(descriptor: int) -> bytes | None:
    """What is written until every writer is gone; None after TRIAL_SECONDS."""
    report, deadline = b"", time.monotonic() + TRIAL_SECONDS
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        data = os.read(descriptor, 1000)
        if not data:
            return report
        report += data
    return None
