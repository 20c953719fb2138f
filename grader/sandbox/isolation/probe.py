"""What this machine offers for locking workers in: every layer is tried, in a throw-away child.

A layer that is only looked up (a kernel version, a file in /proc) may still be refused by a container or a security
module, and a half-done change of namespaces cannot be undone. So a child is locked in with a plan of this layer, as a
worker is, and tries what the layer must refuse.
"""

from __future__ import annotations

import errno
import os
import platform
import select
import signal
import socket
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.isolation import kernel, landlock
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.lockdown import (
    LANDLOCK,
    LAYERS,
    LIMITS,
    NAMESPACES_LAYER,
    SECCOMP,
    UID,
    Plan,
    lock_in,
    prepare_zygote,
)

LEVELS = ("none", "weak", "fair", "good", "strong")

TRIAL_SECONDS = 20.0

_REFUSALS: dict[str, list[tuple[Callable[[], object], int]]] = {
    LIMITS: [(lambda: os.dup2(0, Limits().open_files + 1), errno.EBADF)],
    LANDLOCK: [(lambda: os.listdir("/"), errno.EACCES)],
    SECCOMP: [(socket.socket, errno.EPERM), (lambda: os.open(os.devnull, os.O_WRONLY), errno.EPERM)],
}
"""What must fail once a layer is applied, with the error's number."""

_WITHOUT = {
    NAMESPACES_LAYER: "No namespaces ({reason}): a student's code can find out whether a hidden file exists, how large"
    " it is and when it was changed.",
    UID: "The worker keeps the user who runs the grading ({reason}): only the other layers stand"
    " between a student's code and that user's files and processes.",
    LIMITS: "No resource limits ({reason}): a student's code can use up the machine's memory until its deadline.",
    LANDLOCK: "No Landlock ({reason}): a student's code can read every file that its user can read, such as hidden"
    " suites, solutions and other submissions.",
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


def at_least(level: str, required: str) -> bool:
    """Whether `level` is `required` or better, both of LEVELS."""
    return LEVELS.index(level) >= LEVELS.index(required)


def level_of(layers: Collection[str], root: bool) -> str:
    """The level that `layers` make. A worker that stays root is never better than fair."""
    held = set(layers)
    if not {LIMITS, SECCOMP, LANDLOCK} <= held:
        return "weak" if held & {SECCOMP, LANDLOCK} else "none"
    if NAMESPACES_LAYER in held and (UID in held or not root):
        return "strong"
    return "good" if UID in held else "fair"


def probe(avoid: Collection[str] = ()) -> Isolation:
    """Tries every layer except those in `avoid`. Never raises, changes nothing in this process, takes some 50 ms.

    When the user WORKER_UID cannot read what workers need, as with a Python under /root, and no mount namespace can
    change that, the workers keep their user and the level says so.
    """
    if not kernel.supported():
        system = f"{platform.system()} on {platform.machine()}"
        sentence = f"No layer is known for {system}: a student's code can do whatever its user can, until its deadline."
        return Isolation("none", (), (sentence,))
    failures = dict.fromkeys(avoid, "left out on request")
    is_root = os.geteuid() == 0
    if not is_root:
        failures.setdefault(UID, "only root can change it")
    elif not kernel.has_capabilities(kernel.CAP_SETUID, kernel.CAP_SETGID, kernel.CAP_KILL):
        # without the last one, a worker that is another user could not be killed
        failures.setdefault(UID, "root lacks CAP_SETUID, CAP_SETGID or CAP_KILL here")
    # who workers are and what they see, the best way first: the first one that works is taken
    ways = ((NAMESPACES_LAYER, UID), (UID,)) if is_root else ((NAMESPACES_LAYER,),)
    reasons: dict[str, str] = {}
    taken: tuple[str, ...] = ()
    for way in ways:
        if not taken and not failures.keys() & {*way}:
            reason = _reason_against(way)
            taken = () if reason else way
            reasons |= dict.fromkeys(way, reason or "")
    failures = {layer: reasons.get(layer, "") for layer in LAYERS[:2] if layer not in taken} | failures
    alone = tuple(layer for layer in LAYERS[2:] if layer not in failures)
    for layer in alone if _reason_against(alone) else ():
        if reason := _reason_against((layer,)):
            failures[layer] = reason

    held = tuple(layer for layer in LAYERS if layer not in failures)
    level = level_of(held, is_root)
    missing = [
        _WITHOUT[layer].format(reason=failures[layer])
        for layer in _WITHOUT
        if layer in failures and (layer != UID or level != "strong")  # an ordinary user's namespace holds as well
    ]
    return Isolation(level, held, (*missing, *[_THREADS_OF_ROOT] * (is_root and UID in failures)))


def _reason_against(layers: tuple[str, ...]) -> str | None:
    """None if a fork with these layers runs as a worker must, else the reason in words."""
    read, write = os.pipe()
    pid = os.fork()  # also where there are threads, of which Python 3.12 warns: the child makes system calls and ends
    if pid == 0:
        try:
            _try_in_a_worker(layers, write)
            os.write(write, b"+")
        except BaseException as error:
            parts = (error.strerror, error.filename) if isinstance(error, OSError) else (str(error),)
            os.write(write, (": ".join(filter(None, parts)) or type(error).__name__).encode()[:500])
        finally:
            os._exit(0)
    os.close(write)
    is_over = bool(select.select([read], [], [], TRIAL_SECONDS)[0])
    report = os.read(read, 1000) if is_over else f"the trial did not end within {TRIAL_SECONDS:g} s".encode()
    if not is_over:
        os.kill(pid, signal.SIGKILL)
    os.close(read)
    os.waitpid(pid, 0)
    return None if report == b"+" else report.decode(errors="replace") or "the trial ended without a word"


def _try_in_a_worker(layers: tuple[str, ...], report: int) -> None:
    """Returns in a worker with these layers that can read what it needs and do nothing of _REFUSALS. Raises OSError."""
    plan = Plan(layers)
    zygote = prepare_zygote(plan)
    pid = zygote.fork()
    if pid:
        os.close(report)
        os.waitpid(pid, 0)
        os._exit(0)
    kernel.die_with_parent(zygote.pid)  # at once: what is tried next may hang
    is_first = os.getpid() == 1
    lock_in(plan, zygote, (report,))
    if NAMESPACES_LAYER in layers and not is_first:
        raise OSError(errno.EPERM, "a fork did not get a pid namespace of its own")
    for act, number in (refusal for layer in layers for refusal in _REFUSALS.get(layer, ())):
        try:
            act()
        except OSError as error:
            if error.errno == number:
                continue
        raise OSError(errno.EPERM, "what this layer must refuse is possible")
    if {UID, NAMESPACES_LAYER} & {*layers}:
        for path in (*landlock.worker_files().readable, Path(os.__file__)):
            if not os.access(path, os.R_OK | (os.X_OK if os.path.isdir(path) else 0)):
                raise OSError(errno.EACCES, f"user {os.getuid()} cannot read {path}")
