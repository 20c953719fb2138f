"""Locking a worker in: which layers, and in which order, from a fresh fork to the first line of a student's code.

    plan = plan_for(probe(), limits)     in probe.py; it travels to the zygote as JSON
    zygote = prepare_zygote(plan)        in the zygote, once torch is loaded
    pid = zygote.fork()                  for each submission
    lock_in(plan, range(5), zygote.pidfd, zygote.ruleset)    in the child, once its descriptors are arranged

A layer of the plan that cannot be applied raises: no student code may run then. docs/security.md says what each
layer stops.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grader.sandbox.isolation import capabilities, kernel, landlock, namespaces, seccomp
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.limits import apply as apply_limits

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


@dataclass(frozen=True)
class Plan:
    """How workers are locked in. Made by `plan_for`; equal on both sides of `to_dict` and `from_dict`."""

    layers: tuple[str, ...]  # of LAYERS
    uid: int | None = None  # the user (and group) that workers become, None to stay who they are
    other_threads: int = 0  # that run under the worker's user already, see limits.tasks_of
    limits: Limits = field(default_factory=Limits)
    imports: tuple[str, ...] = ()  # further top-level modules that submissions may import, see imports.py

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Plan:
        """Raises ValueError for a layer or a limit that is not known: a plan is applied completely or not at all."""
        unknown = sorted(set(values["layers"]) - set(LAYERS))
        if unknown:
            raise ValueError(f"no such layer: {', '.join(unknown)}")
        layers, imports = tuple(values["layers"]), tuple(values["imports"])
        return cls(layers, values["uid"], values["other_threads"], Limits.from_dict(values["limits"]), imports)


@dataclass(frozen=True)
class PreparedZygote:
    """What a zygote needs for each fork: descriptors."""

    pid_namespace: int | None = None  # its own one, None without namespaces
    pidfd: int | None = None  # its own, by which a worker sees that the zygote has ended
    ruleset: int | None = None  # of Landlock, made once for all workers

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
        return PreparedZygote()
    kernel.die_with_parent()
    with contextlib.suppress(OSError):  # out of memory, the kernel ends a worker rather than the grader
        Path("/proc/self/oom_score_adj").write_bytes(b"1000")
    files, pid_namespace, ruleset = landlock.worker_files(plan.imports), None, None
    if NAMESPACES_LAYER in plan.layers:
        user_namespace = USER_NAMESPACE in plan.layers
        pid_namespace = namespaces.enter_zygote_namespaces(plan.uid, files.visible, user_namespace=user_namespace)
    if CAPABILITIES in plan.layers:
        capabilities.drop_bounding_set()  # workers inherit it; the zygote starts no program, so loses nothing
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # no process of the same user can read its memory; workers inherit it
    if SECCOMP in plan.layers:
        seccomp.prepare()
    if LANDLOCK in plan.layers:
        ruleset = landlock.make_ruleset(files.readable, files.listed)
    return PreparedZygote(pid_namespace, os.pidfd_open(os.getpid()), ruleset)


def lock_in(plan: Plan, keep: Iterable[int] = range(5), parent: int | None = None, ruleset: int | None = None) -> None:
    """Locks this process in for good.

    Call it in a fresh fork of a prepared zygote, before any student code, with one thread. `keep` are the descriptors
    that stay open: nothing, the student's output twice, requests and answers. `parent` is the zygote's pidfd, `ruleset`
    what it prepared for Landlock.
    Afterwards no file can be opened for writing, no process started, and only what a worker needs be read.

    The order matters: the user is changed while there are capabilities to do it with, limits and Landlock need /proc
    and paths, and seccomp, which forbids all of this, comes last.
    Raises OSError or ValueError when a layer fails. Then only os._exit is right: some layers hold, some do not.
    """
    if os.getsid(0) != os.getpid():
        os.setsid()  # no terminal, and a group that can be killed as one
    kernel.close_all_but({*keep} | {descriptor for descriptor in (parent, ruleset) if descriptor is not None})
    os.chdir("/")  # the folder it came from may be one that it must not know
    os.umask(0o077)
    if UID in plan.layers:
        if plan.uid is None:
            raise ValueError("the plan says that workers change their user, but not to whom")
        if os.getresuid() != (plan.uid,) * 3:  # in a user namespace the zygote is that user already
            capabilities.become(plan.uid)
    kernel.die_with_parent(parent)  # here, for the kernel forgets it when the user changes
    if kernel.supported():
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    if parent is not None:
        os.close(parent)
    if LIMITS in plan.layers:
        apply_limits(plan.limits, plan.other_threads)
    if NO_NEW_PRIVILEGES in plan.layers:
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if LANDLOCK in plan.layers:
        if ruleset is None:
            raise ValueError("the plan has Landlock, but the zygote prepared no rules")
        landlock.enforce(ruleset)
    if ruleset is not None:
        os.close(ruleset)
    if CAPABILITIES in plan.layers:
        capabilities.reduce_to(0)
    if SECCOMP in plan.layers:
        seccomp.install_filter()
