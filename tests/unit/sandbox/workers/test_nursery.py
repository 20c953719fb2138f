"""A zygote that a nursery forked: as good as one that was started by itself, and one of many."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import GUARD_SECONDS, sampled

from bench.attacks.arena import avoid_above, descendants
from grader.errors import ZygoteDied
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.fork_server import ServerEnded
from grader.sandbox.workers.nursery import Nursery
from grader.sandbox.workers.student import Student

# What a worker finds around itself, and what it can do: printed as JSON.
LOOKS_AROUND = b"""
import json, os, sys
from grader.sandbox.isolation.kernel import ctypes  # it cannot be imported

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
    student = Student(zygote, {"backward.py": LOOKS_AROUND}, ["dx"])
    assert student.load_failure is None, student.load_failure
    student.close()
    found: dict[str, object] = json.loads(student.output.data.removeprefix(b"backward.py: "))
    return found


def zygotes_of(nursery: Nursery) -> set[int]:
    found = set[int]()
    for pid in descendants(nursery._process.pid):
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            found |= {pid} if Path(f"/proc/{pid}/comm").read_text().strip() == "zygote" else set()
    return found


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


@pytest.fixture
def own_nursery() -> Iterator[Nursery]:
    """For tests that end it, or look for what it has seen."""
    made = Nursery()
    yield made
    made.close()


@pytest.fixture
def zygote(nursery: Nursery) -> Iterator[Callable[..., ZygoteProcess]]:
    """zygote(level): one more of the nursery's."""
    made: list[ZygoteProcess] = []

    def zygote(level: str = "strong") -> ZygoteProcess:
        isolation = probe(avoid=avoid_above(level))
        if isolation.level != level:
            pytest.skip(f"level {level} cannot be reached here, it is {isolation.level}")
        made.append(ZygoteProcess(Plan(isolation.layers), nursery.zygote()))
        return made[-1]

    yield zygote
    for each in made:
        each.close()


@pytest.mark.full
@sampled("level", ["strong", *(pytest.param(low, marks=pytest.mark.slow) for low in ("fair", "none"))], keep=1)
def test_its_workers_are_locked_in_like_any_others(zygote, level):
    theirs = looked_around(zygote(level))
    alone = ZygoteProcess(Plan(probe(avoid=avoid_above(level)).layers))
    try:
        expected = looked_around(alone)
    finally:
        alone.close()
    if level != "strong":  # without a pid namespace of its own it has just any number
        assert theirs.pop("pid") != expected.pop("pid")
    own = {f"grader.sandbox.workers.{name}" for name in ("nursery", "clean_process")}
    assert set(theirs.pop("modules")) - set(expected.pop("modules")) <= own
    assert theirs.pop("arguments") != expected.pop("arguments")  # the plan is not among them: it came over the socket
    assert theirs == expected
    assert level == "none" or (theirs["writing"], theirs["connecting"]) != ("done", "done")


@pytest.mark.full
def test_one_that_is_killed_takes_no_other_with_it(zygote, nursery):
    others = zygotes_of(nursery)
    first = zygote("none")
    first.wait_until_ready()
    (pid,) = zygotes_of(nursery) - others
    second = zygote("none")
    second.wait_until_ready()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ZygoteDied):
        first.worker().wait_until_locked_in()
    assert looked_around(second)["user"]


# Programs -------------------------------------------------------------------------------------------------------------

SAYS = """
import json, os, sys
lines = sys.stdin.read().split()
found = {"arguments": sys.argv[1:], "folder": os.getcwd(), "token": os.environ.get("TOKEN"), "lines": lines}
print(json.dumps(found | {"path": sys.path, "torch": "torch" in sys.modules, "name": __name__}))
"""


@pytest.mark.full
def test_a_program_has_our_environment_folder_and_path_and_torch(nursery, monkeypatch, tmp_path):
    monkeypatch.setenv("TOKEN", "of ours")
    monkeypatch.chdir(tmp_path)
    program = nursery.program(SAYS, "one", "two")
    program.stdin.write(b"a b\n")
    program.stdin.close()
    found = json.loads(program.stdout.read())
    assert program.wait(GUARD_SECONDS) == 0
    path = found.pop("path")
    assert path and set(path) <= {folder for folder in sys.path if os.path.isabs(folder)} - {str(tmp_path)}
    assert found == {
        "arguments": ["one", "two"],
        "folder": str(tmp_path),
        "token": "of ours",
        "lines": ["a", "b"],
        "torch": True,
        "name": "__main__",
    }


ENDS = {
    "pass": 0,
    "raise SystemExit(3)": 3,
    "raise SystemExit('a sentence')": 1,
    "1 / 0": 1,
    "import os; os._exit(7)": 7,
    "import os; os.kill(os.getpid(), 15)": -15,
}


def test_its_exit_status_is_reported(nursery):
    programs = {text: nursery.program(text) for text in ENDS}
    assert {text: program.wait(GUARD_SECONDS) for text, program in programs.items()} == ENDS
    assert programs["pass"].wait() == 0


@pytest.mark.full
def test_one_that_is_killed_one_that_is_dropped_and_one_whose_nursery_is_killed(own_nursery):
    assert own_nursery.program("pass").wait(GUARD_SECONDS) == 0  # it has loaded torch
    hangs = "import time\ntime.sleep(3600)"  # no race: it is killed
    killed, dropped, left = (own_nursery.program(hangs) for _ in range(3))
    killed.kill()
    assert killed.wait(GUARD_SECONDS) == -signal.SIGKILL
    dropped.close()
    with pytest.raises(TimeoutError):
        left.wait(0.1)  # no race: it never ends by itself
    waiting = own_nursery.zygote()
    own_nursery.close()
    assert left.wait(GUARD_SECONDS) == -signal.SIGKILL
    with pytest.raises(ServerEnded):
        own_nursery.program(hangs)
    assert own_nursery.zygote() is None
    process = ZygoteProcess(Plan(probe().layers), waiting)
    with pytest.raises(ZygoteDied):
        process.wait_until_ready()
    process.close()


def holds(pid: int, word: bytes) -> bool:
    """Whether the word is anywhere in a process's own memory."""
    try:
        lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
        with Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
            for start, end in (line.split()[0].split("-") for line in lines if " rw" in line):
                memory.seek(int(start, 16))
                with contextlib.suppress(OSError):
                    if word in memory.read(int(end, 16) - int(start, 16)):
                        return True
    except OSError as error:
        pytest.skip(f"another process's memory cannot be read here: {error}")
    return False


@pytest.mark.full
def test_what_a_program_gets_is_in_no_memory_that_a_worker_inherits(own_nursery, monkeypatch):
    token = secrets.token_hex(16)
    monkeypatch.setenv("TOKEN", token)
    program = own_nursery.program("import os, sys\nprint(os.getpid(), flush=True)\nsys.stdin.read()", token)
    process = ZygoteProcess(Plan(()), own_nursery.zygote())  # unlocked: with a number that we can see
    process.wait_until_ready()
    processes = {"the program": int(program.stdout.readline()), "its zygote": zygotes_of(own_nursery).pop()}
    processes |= {"the nursery": own_nursery._process.pid}
    found = {name: holds(pid, token.encode()) for name, pid in processes.items()}
    process.close()
    program.close()
    assert found == {"the program": True, "its zygote": False, "the nursery": False}
