"""Locking a worker in: which layers, and in which order, from a fresh fork to the first line of a student's code.

    plan = plan_for(probe(), limits)     anywhere; it travels to the zygote as JSON
    zygote = prepare_zygote(plan)        in the zygote, once torch is loaded
    pid = zygote.fork()                  for each submission
    lock_in(plan, range(5), zygote.pidfd, zygote.ruleset)    in the child, once its descriptors are arranged

A layer of the plan that cannot be applied raises: no student code may run then. docs/security.md says what each
layer stops.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.sandbox.isolation import capabilities, kernel, landlock, namespaces, seccomp
from grader.sandbox.isolation import probe as layers
from grader.sandbox.isolation.limits import Limits, tasks_of
from grader.sandbox.isolation.limits import apply as apply_limits
from grader.sandbox.isolation.probe import Isolation


@dataclass(frozen=True)
class Plan:
    """How workers are locked in. Made by `plan_for`; equal on both sides of `to_dict` and `from_dict`."""

    layers: tuple[str, ...]  # of probe.LAYERS
    uid: int | None = None  # the user (and group) that workers become, None to stay who they are
    other_threads: int = 0  # that run under the worker's user already, see limits.tasks_of
    limits: Limits = field(default_factory=Limits)
    imports: tuple[str, ...] = ()  # further top-level modules that submissions may import, see imports.py

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "layers": list(self.layers),
            "uid": self.uid,
            "other_threads": self.other_threads,
            "limits": self.limits.to_dict(),
            "imports": list(self.imports),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Plan:
        """Raises ValueError for a layer or a limit that is not known: a plan is applied completely or not at all."""
        unknown = sorted(set(values["layers"]) - set(layers.LAYERS))
        if unknown:
            raise ValueError(f"no such layer: {', '.join(unknown)}")
        return cls(
            layers=tuple(values["layers"]),
            uid=values["uid"],
            other_threads=values["other_threads"],
            limits=Limits.from_dict(values["limits"]),
            imports=tuple(values["imports"]),
        )


def plan_for(isolation: Isolation, limits: Limits | None = None, imports: Sequence[str] = ()) -> Plan:
    """Every layer that the probe found, filled in. `imports` are further modules that an instructor allows."""
    change_user = layers.UID in isolation.layers
    shares_its_user = not change_user and layers.USER_NAMESPACE not in isolation.layers and bool(isolation.layers)
    return Plan(
        layers=isolation.layers,
        uid=layers.WORKER_UID if change_user else None,
        other_threads=tasks_of(os.getuid()) if shares_its_user else 0,
        limits=Limits() if limits is None else limits,
        imports=tuple(imports),
    )


@dataclass(frozen=True)
class PreparedZygote:
    """What a zygote needs for each fork."""

    pid_namespace: int | None  # descriptor of its own one, None without namespaces
    pidfd: int | None  # its own, by which a worker sees that the zygote has ended
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
        return PreparedZygote(None, None)
    kernel.die_with_parent()
    _prefer_as_victim()
    files, pid_namespace = landlock.worker_files(plan.imports), None
    if layers.NAMESPACES_LAYER in plan.layers:
        by_user_namespace = layers.USER_NAMESPACE in plan.layers
        pid_namespace = namespaces.enter_zygote_namespaces(
            plan.uid, plan.uid, files.visible, user_namespace=by_user_namespace
        )
    if layers.CAPABILITIES in plan.layers:
        capabilities.drop_bounding_set()  # workers inherit it; the zygote starts no program, so loses nothing
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # no process of the same user can read its memory; workers inherit it
    if layers.SECCOMP in plan.layers:
        seccomp.prepare()
    ruleset = landlock.make_ruleset(files.readable, files.listed) if layers.LANDLOCK in plan.layers else None
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
    _close_all_but({*keep} | {descriptor for descriptor in (parent, ruleset) if descriptor is not None})
    os.chdir("/")  # the folder it came from may be one that it must not know
    os.umask(0o077)
    if layers.UID in plan.layers:
        _change_user(plan.uid)
    kernel.die_with_parent(parent)  # here, for the kernel forgets it when the user changes
    if kernel.supported():
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    if parent is not None:
        os.close(parent)
    if layers.LIMITS in plan.layers:
        apply_limits(plan.limits, plan.other_threads)
    if layers.NO_NEW_PRIVILEGES in plan.layers:
        capabilities.no_new_privileges()
    if layers.LANDLOCK in plan.layers:
        if ruleset is None:
            raise ValueError("the plan has Landlock, but the zygote prepared no rules")
        landlock.enforce(ruleset)
    if ruleset is not None:
        os.close(ruleset)
    if layers.CAPABILITIES in plan.layers:
        capabilities.drop_all()
    if layers.SECCOMP in plan.layers:
        seccomp.install_filter()


def _change_user(uid: int | None) -> None:
    if uid is None:
        raise ValueError("the plan says that workers change their user, but not to whom")
    if os.getresuid() != (uid, uid, uid):  # in a user namespace the zygote is that user already
        capabilities.become(uid, uid)


def _close_all_but(keep: set[int]) -> None:
    if kernel.supported():
        kernel.close_all_but(keep)
        return
    highest = os.sysconf("SC_OPEN_MAX")
    for low, high in zip([-1, *sorted(keep)], [*sorted(keep), highest], strict=True):
        if high > low + 1:  # closerange(0, 0) closes everything, as Python 3.11 hands -1 to the system
            os.closerange(low + 1, high)


def _prefer_as_victim() -> None:
    """Out of memory, the kernel ends a worker rather than the grader: a worker uses more than its zygote."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    except OSError:  # a comfort, not a layer
        pass
