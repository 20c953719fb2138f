"""A process that loads torch once, from which zygotes and programs (graders) are forked in milliseconds.

    coordinator ── nursery ── maker ── zygotes ── workers
                       └── programs

`Nursery` is the coordinator's end; the functions below it run in the nursery and in the maker of zygotes. Nothing there
holds a secret, and no program is an ancestor of a worker: the maker is forked before the first program, which learns
what it is to do, and every secret, after it was forked.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Sequence
from functools import partial

from grader.sandbox.isolation import kernel
from grader.sandbox.workers.clean_process import start_clean_process
from grader.sandbox.workers.fork_server import Child, ForkServer, ServerEnded, fork_child
from grader.sandbox.workers.torch_loading import load_torch
from grader.sandbox.workers.zygote import become_zygote, make_ready


class Nursery:
    """Starts a nursery, for a coordinator with graders; each has a zygote, and each zygote its own namespaces.

    Safe to use from any thread, and to be made in one that lives as long: when it ends, the kernel ends the nursery
    with all that it forked.
    """

    def __init__(self, preload: Sequence[str] = ()) -> None:
        """`preload` are modules that programs will need and that hold no secret."""
        self._zygotes, theirs = socket.socketpair()
        self._made: list[Child] = []  # zygotes: one ends when its child is dropped
        with theirs:
            arguments = str(theirs.fileno()), *preload
            self._process, self._programs = start_clean_process("nursery", "run_nursery", *arguments, more=[theirs])

    def zygote(self) -> socket.socket | None:
        """A socket whose other end becomes a zygote once a plan is sent on it; None when the nursery has ended."""
        ours, theirs = socket.socketpair()
        try:
            self._made.append(Child(self._zygotes, [theirs.detach()]))
        except ServerEnded:
            ours.close()
            return None
        return ours

    def program(self, text: str, *arguments: str, given: Sequence[socket.socket] = ()) -> ForkedProcess:
        """A fork that runs this Python text, with this process's environment, folder and path, and `arguments`.

        It inherits the sockets `given`, whose descriptors follow the arguments. Like a fresh Python with -P, it cannot
        import from the current folder. Raises ServerEnded.
        """
        first = 0 if sys.flags.safe_path else 1  # before it is the folder of a script
        path = [folder for folder in sys.path[first:] if os.path.isabs(folder)]
        place = {"environment": dict(os.environ), "folder": os.getcwd(), "path": path}
        request = {"program": text, "arguments": arguments, **place}
        forked = ForkedProcess(self._programs, [each.fileno() for each in given])
        with contextlib.suppress(OSError):  # it has ended: its first use shows that
            forked.stdin.write(json.dumps(request).encode() + b"\n")
            forked.stdin.flush()
        return forked

    def close(self) -> None:
        """End it and all that it forked, also while it loads torch."""
        self._programs.close()
        self._zygotes.close()
        self._process.kill()
        self._process.wait()


class ForkedProcess(Child):
    """A program that a nursery forked."""

    def __init__(self, server: socket.socket, shared: Sequence[int]) -> None:
        """Raises ServerEnded."""
        (input_read, input_write), (output_read, output_write) = os.pipe(), os.pipe()
        self.stdin, self.stdout = os.fdopen(input_write, "wb"), os.fdopen(output_read, "rb")
        super().__init__(server, [input_read, output_write], shared)

    def wait(self, seconds: float | None = None) -> int:
        """Its exit status (negative: the signal), also when the nursery was killed, and it with it.

        Raises TimeoutError.
        """
        try:
            return self.ending(seconds).status
        except ServerEnded:
            return -signal.SIGKILL

    def close(self) -> None:
        """Close the pipes and kill the program if it still runs."""
        super().close()
        for end in (self.stdin, self.stdout):
            with contextlib.suppress(OSError):
                end.close()


# In the nursery -------------------------------------------------------------------------------------------------------


def run_nursery(programs: int, zygotes: str, *preload: str) -> None:
    """The nursery's life: `programs` asks for programs, `zygotes` for zygotes, until their other ends close.

    `preload` are modules that programs will need and that hold no secret.
    """
    kernel.die_with_parent()
    gc.disable()  # until all is loaded: an import leaves little garbage behind
    load_torch()
    fork_child("maker", partial(make_zygotes, int(zygotes)), [programs])
    os.close(int(zygotes))
    for name in preload:
        with contextlib.suppress(Exception):  # a program that needs it says what is wrong
            importlib.import_module(name)
    gc.freeze()
    gc.enable()
    sys.dont_write_bytecode = True  # of grader/ alone, for the next run: not of a course
    ForkServer(socket.socket(fileno=programs), become_program, "grader").serve()
    os._exit(0)  # taking torch apart takes as long as a tenth of loading it, and the run would wait


def become_program(given: list[int]) -> None:
    """What to do comes as the first line of standard input: see Nursery.program."""
    os.setsid()
    for target, source in enumerate(given[:2]):
        os.dup2(source, target)
        os.close(source)
    line = sys.stdin.buffer.readline()
    if not line:
        return
    request = json.loads(line)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.path[:] = request["path"]
    sys.argv = ["-c", *request["arguments"], *map(str, given[2:])]
    exec(compile(request["program"], "<program>", "exec"), {"__name__": "__main__"})


def make_zygotes(descriptor: int) -> None:
    """Fork a zygote for every socket that arrives on `descriptor`; all that zygotes need is loaded once, here.

    This process is as clean as a zygote, and never serves a worker itself.
    """
    make_ready()
    ForkServer(socket.socket(fileno=descriptor), become_zygote, "zygote").serve()
