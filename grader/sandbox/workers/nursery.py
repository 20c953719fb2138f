"""A process that loads torch once, from which zygotes and graders are forked.

    nursery ── maker ── zygotes ── workers
        └── programs: graders

Nothing here holds a secret, and no program is an ancestor of a worker: the maker of zygotes is forked before the first
program, which learns what it is to do, and every secret, after it was forked. `forked.py` is its client.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Collection
from typing import NoReturn

from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.lockdown import Plan, prepare_zygote
from grader.sandbox.isolation.usage import collapse, large_pieces
from grader.sandbox.workers.endings import KILL
from grader.sandbox.workers.torch_loading import load_torch
from grader.sandbox.workers.zygote import hung_up, make_ready, run_zygote, wake_pipe


def nursery(programs: int, zygotes: str, *preload: str) -> None:
    """Serves two sockets until their other ends close: `programs` asks for programs, `zygotes` for zygotes.

    `preload` are modules that programs will need and that hold no secret.
    """
    kernel.die_with_parent()
    if hung_up(programs):
        return
    gc.disable()  # until all is loaded: an import leaves little garbage behind
    load_torch()
    fork(lambda: make_zygotes(int(zygotes)), "maker", [programs])
    os.close(int(zygotes))
    for name in preload:
        with contextlib.suppress(Exception):  # a program that needs it says what is wrong
            importlib.import_module(name)
    gc.freeze()
    gc.enable()
    sys.dont_write_bytecode = True  # of grader/ alone, for the next run: not of a course
    Programs(programs).serve()
    wait_for_all()
    os._exit(0)  # taking torch apart takes as long as a tenth of loading it, and the run would wait


def fork(life: Callable[[], object], name: str, others: Collection[int]) -> int:
    """A fresh fork that lives `life` without the descriptors `others`, under that name in a list of processes."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        kernel.die_with_parent()
        if os.getppid() != parent:
            os._exit(1)
        for other in others:  # held open here, they would hide that their own ends were closed
            os.close(other)
        call_yourself(name)
        life()
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def call_yourself(name: str) -> None:
    """The name of this process in ps and top, where the system has a place for it."""
    with contextlib.suppress(OSError), open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(name)


def wait_for_all() -> None:
    """Wait for the processes that were forked here: only their parent learns what processor time they took."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


# Programs: graders, so far --------------------------------------------------------------------------------------------


class Programs:
    """Forks a program for each message on `control`, which brings its standard input, output, and a life line.

    KILL on the life line kills the program, and so does a hang-up; its exit status is written there, as a line.
    """

    def __init__(self, control: int) -> None:
        self._control = socket.socket(fileno=control)
        self._control.set_inheritable(False)
        self._running: dict[int, int] = {}  # process -> its life line
        self._selector = selectors.DefaultSelector()

    def serve(self) -> None:
        """Until the other end of `control` closes. Programs end with their standard input."""
        self._wakes = wake_pipe()
        wake_read, _ = self._wakes
        for descriptor in (self._control.fileno(), wake_read):
            self._selector.register(descriptor, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fd == wake_read:
                    os.read(wake_read, 4096)
                elif key.fd != self._control.fileno():
                    self.read_life_line(key.fd)
                elif not self.take():
                    return
            self.reap()

    def take(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._control, 1, 4)
        if not data:
            return False
        life, *given = descriptors
        others = [self._control.fileno(), *self._wakes, *self._running.values(), life]
        pid = fork(lambda: become_program(given), "grader", others)
        self._running[pid] = life
        self._selector.register(life, selectors.EVENT_READ)
        for descriptor in given:
            os.close(descriptor)
        return True

    def read_life_line(self, life: int) -> None:
        try:
            is_over = os.read(life, 1) != KILL
        except ConnectionResetError:
            is_over = True
        if is_over:
            self._selector.unregister(life)
        for pid, line in self._running.items():
            if line == life:  # not reaped yet, so the pid cannot be somebody else's
                os.kill(pid, signal.SIGKILL)

    def reap(self) -> None:
        for pid in list(self._running):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                life = self._running.pop(pid)
                with contextlib.suppress(KeyError):
                    self._selector.unregister(life)
                with contextlib.suppress(OSError):
                    os.write(life, b"%d\n" % os.waitstatus_to_exitcode(status))
                os.close(life)


def become_program(given: list[int]) -> None:
    """What to do comes as the first line of standard input: see forked.Nursery.program."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
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


# Zygotes --------------------------------------------------------------------------------------------------------------


def make_zygotes(descriptor: int) -> None:
    """Fork a zygote for every socket that arrives on `descriptor`; all that zygotes need is loaded once, here.

    A fork is made as soon as a plan arrives on its socket. While several sockets wait, memory is collapsed into large
    pages, once for all of them. This process is as clean as a zygote, and never serves a worker itself. It ends after
    its zygotes, once the other end closes.
    """
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # as in a zygote that was started by itself
    make_ready()
    control = socket.socket(fileno=descriptor)
    control.set_inheritable(False)
    selector = selectors.DefaultSelector()
    selector.register(control, selectors.EVENT_READ)
    small, sockets = large_pieces(), 0
    while True:
        worth_it = small and sockets > 1
        events = selector.select(0 if worth_it else None)
        if not events and worth_it:
            collapse(small.pop())
        for key, _ in events:
            if key.fileobj is control:
                data, descriptors, _, _ = socket.recv_fds(control, 1, 1)
                if not data:
                    return wait_for_all()
                selector.register(descriptors[0], selectors.EVENT_READ)
                sockets += 1
            else:
                selector.unregister(key.fd)
                if os.fork() == 0:
                    become_zygote(key.fd, [other.fd for other in selector.get_map().values()])
                os.close(key.fd)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass


def become_zygote(descriptor: int, others: Collection[int]) -> NoReturn:
    """The life of a fresh fork of the maker: its plan is the first line that its grader sends."""
    try:
        for other in others:  # held open here, they would hide that their own ends were closed
            os.close(other)
        call_yourself("zygote")
        sys.modules.pop(__name__)  # a worker has no use for it
        text = bytearray()
        while not text.endswith(b"\n"):  # byte by byte: what follows is not ours to read yet
            piece = os.read(descriptor, 1)
            if not piece:
                os._exit(0)
            text += piece
        plan = Plan.from_dict(json.loads(text))
        run_zygote(descriptor, plan, prepare_zygote(plan))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)
