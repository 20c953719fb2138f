"""One nursery for all tests of a process: torch is loaded once for their zygotes, graders and commands.

`run_command` gives what `subprocess.run` gives, without loading torch. The command is forked and reads its arguments,
folder and environment as any process does. Its graders and zygotes come from the same nursery, which like a new one has
seen nothing of the run. Tests about starting, stopping, or what a process has in its memory start Python.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from support import GUARD_SECONDS, ROOT

from grader.gradebook.grading.settings import GRADER_PROGRAM
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.nursery import ForkedProcess, Nursery

COMMANDS = tuple(f"grader.commands.{name}" for name in ("grade", "dojo", "dojo_work", "run", "decisions", "follow"))
"""Modules that the commands import."""


class SharedNursery:
    """A `Nursery` for everyone: all are given one nursery's forks."""

    _shared: Nursery | None = None

    def __init__(self, preload: Sequence[str] = ()) -> None:
        SharedNursery._shared = SharedNursery._shared or Nursery((GRADER_PROGRAM, *COMMANDS))
        self._nursery, self._programs = SharedNursery._shared, list[ForkedProcess]()

    def zygote(self) -> socket.socket | None:
        return self._nursery.zygote()

    def program(self, text: str, *arguments: str, given: Sequence[socket.socket] = ()) -> ForkedProcess:
        self._programs.append(self._nursery.program(text, *arguments, given=given))
        return self._programs[-1]

    def send_ends(self, command: socket.socket) -> None:
        """Send a command both sockets of the nursery; a message on them is whole, whoever sends it."""
        ends = self._nursery._zygotes, self._nursery._programs
        socket.send_fds(command, [b"n"], [end.fileno() for end in ends])

    def close(self) -> None:
        for program in self._programs:
            program.kill()

    @classmethod
    def end(cls) -> None:
        if cls._shared is not None:
            cls._shared.close()


COMMAND = """
import importlib, json, os, socket, sys
from grader.sandbox.workers import nursery

request = json.loads(sys.argv[1])
with socket.socket(fileno=int(sys.argv[2])) as given:
    _, descriptors, _, _ = socket.recv_fds(given, 1, 2)
own = nursery.Nursery


class SharedNursery(own):
    def __init__(self, preload=()):
        self._zygotes, self._programs = (socket.socket(fileno=each) for each in descriptors)
        self._mine, self._made = [], []

    def program(self, text, *arguments, given=()):
        self._mine.append(super().program(text, *arguments, given=given))
        return self._mine[-1]

    def close(self):
        for program in self._mine:
            program.kill()


for module in list(sys.modules.values()):
    if vars(module).get("Nursery") is own:  # getattr would make torch import what it loads on first use
        module.Nursery = SharedNursery
for number, name in enumerate((os.devnull, request["stdout"], request["stderr"])):
    os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), number)
sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)
os.environ.clear()
os.environ.update(request["environment"])
os.chdir(request["folder"])
sys.argv = [request["command"], *request["arguments"]]
importlib.import_module("grader.commands." + request["command"]).main()
"""


def forked_zygote(plan: Plan, waiting: socket.socket | None = None) -> ZygoteProcess:
    """A zygote that starts with torch loaded; `waiting` is a socket of another nursery's."""
    return ZygoteProcess(plan, waiting or SharedNursery().zygote())


PYTHON = """
import json, os, sys

request = json.loads(sys.argv[1])
for number, name in enumerate((os.devnull, request["stdout"], request["stderr"])):
    os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), number)
sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)
sys.argv = ["-c", *request["arguments"]]
exec(request["program"], {"__name__": "__main__"})
"""


def run_python(program: str, *arguments: str, seconds: float = GUARD_SECONDS) -> subprocess.CompletedProcess[str]:
    """What `python -c PROGRAM ARGUMENTS...` gives, in a fork that has loaded torch and what a grader process needs.

    Raises TimeoutError.
    """
    nursery = SharedNursery()
    with TemporaryDirectory() as made:
        stdout, stderr = Path(made, "stdout"), Path(made, "stderr")
        request = {"program": program, "arguments": arguments, "stdout": str(stdout), "stderr": str(stderr)}
        forked = nursery.program(PYTHON, json.dumps(request))
        try:
            status = forked.wait(seconds)
        finally:
            close(forked)
        return subprocess.CompletedProcess(["-c", *arguments], status, stdout.read_text(), stderr.read_text())


def run_command(
    command: str,
    arguments: Sequence[object],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    seconds: float = GUARD_SECONDS,
) -> subprocess.CompletedProcess[str]:
    """`command` is "grade" or "dojo". Raises TimeoutError."""
    nursery, (ours, theirs) = SharedNursery(), socket.socketpair()
    with TemporaryDirectory() as made:
        stdout, stderr = Path(made, "stdout"), Path(made, "stderr")
        request = {
            "command": command,
            "arguments": [str(argument) for argument in arguments],
            "stdout": str(stdout),
            "stderr": str(stderr),
            "folder": str(folder or os.getcwd()),
            "environment": dict(os.environ if environment is None else environment),
        }
        with ours, theirs:
            nursery.send_ends(ours)
            program = nursery.program(COMMAND, json.dumps(request), given=[theirs])
        try:
            status = program.wait(seconds)
        finally:
            close(program)
        return subprocess.CompletedProcess(
            [command, *request["arguments"]], status, stdout.read_text("utf-8"), stderr.read_text("utf-8")
        )


def close(program: ForkedProcess) -> None:
    program.kill()
    program.wait()
    program.close()


def run_grade(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """`grade run` over this checkout's course."""
    return run_command("grade", ["run", *arguments, "--course", ROOT], cwd)
