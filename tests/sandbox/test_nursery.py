"""A zygote that a nursery forked: as good as one that was started by itself, and one of many."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator

import pytest

from grader.grading.student import Student
from grader.sandbox.client import Nursery, ZygoteProcess
from grader.sandbox.endings import ZygoteDied
from grader.sandbox.lockdown import plan_for
from grader.sandbox.probe import LAYERS, avoid_above, probe

# What a worker finds around itself, and what it can do: printed as JSON.
LOOKS_AROUND = b"""
import json, os, sys
from grader.sandbox.kernel import ctypes  # it cannot be imported

def outcome(of, *arguments):
    try:
        of(*arguments)
    except BaseException as error:
        return type(error).__name__
    return "done"

def is_open(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True

def connect():
    import socket
    socket.socket()

libc = ctypes.CDLL(None)
found = {
    "environment": dict(os.environ),
    "arguments": sys.argv,
    "path": sys.path,
    "modules": sorted(sys.modules),
    "user": os.getresuid(),
    "pid": os.getpid(),
    "folder": os.getcwd(),
    "descriptors": [n for n in range(256) if is_open(n)],
    "no new privileges": libc.prctl(39, 0, 0, 0, 0),
    "dumpable": libc.prctl(3, 0, 0, 0, 0),
    "dies with its parent": libc.prctl(2, ctypes.byref(ctypes.c_int()), 0, 0, 0),
    "capabilities": [libc.prctl(23, n, 0, 0, 0) for n in range(41)],
}
for name, of in {
    "reading": lambda: open("/etc/hostname").read(),
    "writing": lambda: open("/tmp/there", "w"),
    "forking": lambda: os.fork() or os._exit(0),
    "connecting": connect,
    "signalling": lambda: os.kill(os.getppid() or 4_000_000, 0),
}.items():
    found[name] = outcome(of)
print(json.dumps(found))
"""


def looked_around(zygote: ZygoteProcess) -> dict[str, object]:
    student = Student(zygote, {"backward.py": LOOKS_AROUND}, "backward.py", ["dx"])
    assert student.load_failure is None, student.load_failure
    student.close()
    found: dict[str, object] = json.loads(student.printed)
    return found


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close(at_once=True)


@pytest.fixture
def zygote(nursery: Nursery) -> Iterator[Callable[..., ZygoteProcess]]:
    """zygote(level): one more of the nursery's."""
    made: list[ZygoteProcess] = []

    def zygote(level: str = "strong") -> ZygoteProcess:
        isolation = probe(avoid=LAYERS if level == "none" else avoid_above(level))
        if isolation.level != level:
            pytest.skip(f"level {level} cannot be reached here, it is {isolation.level}")
        made.append(ZygoteProcess(plan_for(isolation), nursery.zygote()))
        return made[-1]

    yield zygote
    for each in made:
        each.close()


@pytest.mark.parametrize("level", ["strong", "fair", "none"])
def test_its_workers_are_locked_in_like_any_others(zygote, level):
    theirs = looked_around(zygote(level))
    alone = ZygoteProcess(plan_for(probe(avoid=LAYERS if level == "none" else avoid_above(level))))
    try:
        expected = looked_around(alone)
    finally:
        alone.close()
    if level != "strong":  # without a pid namespace of its own it has just any number
        assert theirs.pop("pid") != expected.pop("pid")
    assert theirs.pop("arguments") != expected.pop("arguments")  # the plan is not among them: it came over the socket
    assert theirs == expected
    assert level == "none" or (theirs["writing"], theirs["connecting"]) != ("done", "done")


def test_one_after_another_and_all_at_once(zygote):
    first, second, third = zygote(), zygote(), zygote()
    first.wait_until_ready()
    first.close()
    fourth = zygote()
    assert [looked_around(each)["pid"] for each in (second, third, fourth)] == [1, 1, 1]


def test_it_ends_after_its_zygotes():
    """So that whoever waits for it is told of their time as well."""
    nursery = Nursery()
    zygote = ZygoteProcess(plan_for(probe()), nursery.zygote())
    looked_around(zygote)
    before = os.times()
    zygote.close()
    nursery.close()
    assert nursery._process.returncode == 0
    assert os.times().children_user - before.children_user > 0.5  # it has loaded torch


def test_one_that_is_killed_takes_no_other_with_it(zygote):
    first, second = zygote("none"), zygote("none")
    pids = []
    for each in (first, second):
        each._read_until(lambda message: "ready" in message and not pids.append(message["pid"]), 60.0)
        each._ready = True
    os.kill(pids[0], signal.SIGKILL)
    with pytest.raises(ZygoteDied):
        first.worker()
    assert looked_around(second)["user"]


def test_a_nursery_that_has_ended_gives_none(nursery):
    waiting = nursery.zygote()
    nursery.close(at_once=True)
    assert nursery.zygote() is None
    process = ZygoteProcess(plan_for(probe()), waiting)
    with pytest.raises(ZygoteDied):
        process.wait_until_ready()
    process.close()
