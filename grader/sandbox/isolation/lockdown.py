"""Locking a worker in: which layers, and in which order, from a fresh fork to the first line of a student's code.

    plan = Plan(probe().layers, limits)  probe.py finds out what there is; the plan is sent to the zygote
    zygote = prepare_zygote(plan)        in the zygote, once torch is loaded
    pid = zygote.fork()                  for each submission
    lock_in(plan, zygote)                in the child, once its descriptors are arranged

A layer of the plan that cannot be applied raises: no student code may run then.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.sandbox.isolation import kernel, landlock, namespaces, seccomp
from grader.sandbox.isolation.limits import Limits, apply_limits, tasks_of

NAMESPACES_LAYER = "namespaces"
UID = "uid"
LIMITS = "limits"
LANDLOCK = "landlock"
SECCOMP = "seccomp"
LAYERS = (NAMESPACES_LAYER, UID, LIMITS, LANDLOCK, SECCOMP)
"""In the order in which they are applied, the zygote's first. With any of them, a worker gives up all privilege."""

# A user that no distribution gives to anybody (systemd.io/UIDS-GIDS: 65520 to 65533 are unused), and that also a
# container with only 65536 users has. Not nobody (65534), whose processes and files others have too.
WORKER_UID = 65520


@dataclass(frozen=True)
class Plan:
    """How workers are locked in."""

    layers: tuple[str, ...]  # of LAYERS
    limits: Limits = field(default_factory=Limits)
    imports: tuple[str, ...] = ()  # further top-level modules that submissions may import, see loader.py
    rehearses: bool = False  # each worker does what honest code does, in advance, because it waits for a file anyway


@dataclass(frozen=True)
class PreparedZygote:
    """What a zygote needs for each fork."""

    pid: int  # its own number
    pid_namespace: int | None = None  # a descriptor of its own one, None without namespaces
    ruleset: int = -1  # a descriptor of Landlock's rules, made once for all workers; -1 is none
    other_threads: int = 0  # that ran under the workers' user already, see limits.tasks_of

    def fork(self) -> int:
        """Like os.fork(), in a pid namespace of the child's own where there are namespaces. Raises OSError."""
        return os.fork() if self.pid_namespace is None else namespaces.fork_into_pid_namespace(self.pid_namespace)


def prepare_zygote(plan: Plan) -> PreparedZygote:
    """Enters the plan's namespaces and assembles what every worker needs.

    Call it in a process with one thread that has loaded all that workers need: with namespaces, most files are gone
    afterwards, and it returns in a new process (see `namespaces.enter_zygote_namespaces`). The zygote is tied to the
    life of the thread that started it. Raises OSError: then end the process.
    """
    if not kernel.supported():
        return PreparedZygote(os.getpid())
    kernel.die_with_parent()
    with contextlib.suppress(OSError):  # out of memory, the kernel ends a worker rather than the grader
        Path("/proc/self/oom_score_adj").write_bytes(b"1000")
    files, pid_namespace, ruleset, other_threads = landlock.worker_files(plan.imports), None, -1, 0
    if LIMITS in plan.layers and not {UID, NAMESPACES_LAYER} & {*plan.layers}:
        other_threads = tasks_of(os.getuid())
    if NAMESPACES_LAYER in plan.layers:
        pid_namespace = namespaces.enter_zygote_namespaces(files.visible, user_namespace=UID not in plan.layers)
    if plan.layers:
        kernel.drop_bounding_set()  # workers inherit it; the zygote starts no program, so loses nothing
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # no process of the same user can read its memory; workers inherit it
    if SECCOMP in plan.layers:
        seccomp.prepare()
    if LANDLOCK in plan.layers:
        ruleset = landlock.make_ruleset(files.readable, files.listed)
    return PreparedZygote(os.getpid(), pid_namespace, ruleset, other_threads)


def lock_in(plan: Plan, zygote: PreparedZygote, keep: Iterable[int] = range(5)) -> None:
    """Locks this process in for good: afterwards it opens no file for writing, starts no process, and reads little.

    Call it in a fresh fork of `zygote`, before any student code, with one thread. `keep` are the descriptors that stay
    open: nothing, the student's output twice, requests and answers.

    The order matters: the user is changed while there are capabilities to do it with, limits and Landlock need /proc
    and paths, and seccomp, which forbids all of this, comes last.
    Raises OSError or ValueError when a layer fails. Then only os._exit is right: some layers hold, some do not.
    """
    if os.getsid(0) != os.getpid():
        os.setsid()  # no terminal, and a group that can be killed as one
    kernel.close_all_but({*keep, zygote.ruleset})
    os.chdir("/")  # the folder it came from may be one that it must not know
    os.umask(0o077)
    if UID in plan.layers:
        kernel.become(WORKER_UID)
    kernel.die_with_parent(zygote.pid)  # here, for the kernel forgets it when the user changes
    if kernel.supported():
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    if LIMITS in plan.layers:
        apply_limits(plan.limits, zygote.other_threads)
    if plan.layers:
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if LANDLOCK in plan.layers:
        landlock.enforce(zygote.ruleset)  # the kernel refuses where there are none
        os.close(zygote.ruleset)
    if plan.layers:
        kernel.reduce_capabilities(0)
    if SECCOMP in plan.layers:
        seccomp.install_filter()
