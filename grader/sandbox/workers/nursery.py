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
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import IO

from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.lockdown import Plan, prepare_zygote
from grader.sandbox.isolation.usage import collapse, large_pieces
from grader.sandbox.workers.clean_process import start_clean_process, wait_or_kill
from grader.sandbox.workers.torch_loading import load_torch
from grader.sandbox.workers.zygote import hung_up, make_ready, run_zygote, wake_pipe


class NurseryEnded(Exception):
    """There is no nursery any more that could fork anything."""


class Nursery:
    """Starts a nursery, for a coordinator with graders; each has a zygote, and each zygote its own namespaces.

    Safe to use from any thread, and to be made in one that lives as long: when it ends, the kernel ends the nursery
    with all that it forked.
    """

    def __init__(self, preload: Sequence[str] = ()) -> None:
        """`preload` are modules that programs will need and that hold no secret."""
        self._zygotes, theirs = socket.socketpair()
        keeps_bytecode = {"PYTHONDONTWRITEBYTECODE": "1" if sys.dont_write_bytecode else ""}
        with theirs:
            arguments = str(theirs.fileno()), *preload
            self._process, self._programs = start_clean_process(
                "nursery", "run_nursery", *arguments, more=[theirs], environment=keeps_bytecode
            )
        self._lock = threading.Lock()

    def zygote(self) -> socket.socket | None:
        """A socket whose other end becomes a zygote once a plan is sent on it; None when the nursery has ended."""
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                socket.send_fds(self._zygotes, [b"z"], [theirs.fileno()])
            except OSError:
                ours.close()
                return None
        return ours

    def program(self, text: str, *arguments: str, given: Sequence[socket.socket] = ()) -> ForkedProcess:
        """A fork that runs this Python text, with this process's environment, folder and path, and `arguments`.

        It inherits the sockets `given`, whose descriptors follow the arguments. Like a fresh Python with -P, it cannot
        import from the current folder. Raises NurseryEnded.
        """
        place = {"environment": dict(os.environ), "folder": os.getcwd(), "path": path_of_a_program()}
        request = {"program": text, "arguments": arguments, **place}
        life, their_life = socket.socketpair()
        input_read, input_write = os.pipe()
        output_read, output_write = os.pipe()
        forked = ForkedProcess(os.fdopen(input_write, "wb"), os.fdopen(output_read, "rb"), life)
        descriptors = [their_life.fileno(), input_read, output_write, *(each.fileno() for each in given)]
        try:
            with self._lock:
                socket.send_fds(self._programs, [b"p"], descriptors)
        except OSError as error:
            forked.close()
            raise NurseryEnded(str(error)) from error
        finally:
            their_life.close()
            os.close(input_read)
            os.close(output_write)
        with contextlib.suppress(OSError):  # it has ended: its first use shows that
            forked.stdin.write(json.dumps(request).encode() + b"\n")
            forked.stdin.flush()
        return forked

    def close(self, at_once: bool = False) -> None:
        """End it once all that it forked has ended, as zygotes do with their graders; `at_once` kills all of it."""
        self._programs.close()
        self._zygotes.close()
        if at_once:  # it may still be loading torch, and hear of nothing
            self._process.kill()
        wait_or_kill(self._process)


def path_of_a_program() -> list[str]:
    """Where a fresh `python -P` with this environment would look for modules: not in the folder of a script."""
    first = 0 if sys.flags.safe_path else 1
    return [place for place in sys.path[first:] if os.path.isabs(place)]


class ForkedProcess:
    """A program that a nursery forked. Safe to use from any thread.

    The nursery kills it when our end of its life line is closed or shut, and writes its exit status there.
    """

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes], life: socket.socket) -> None:
        self.stdin, self.stdout, self._life = stdin, stdout, life
        self.returncode: int | None = None
        self._lock = threading.Lock()

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._life.shutdown(socket.SHUT_WR)

    def wait(self, seconds: float | None = None) -> int:
        """Its exit status (negative: the signal), also when the nursery was killed, and it with it.

        Raises subprocess.TimeoutExpired.
        """
        with self._lock:
            if self.returncode is None:
                self._life.settimeout(seconds)
                try:
                    text = self._life.recv(64)
                except TimeoutError:
                    raise subprocess.TimeoutExpired("a forked program", seconds or 0.0) from None
                except OSError:
                    text = b""
                self.returncode = int(text) if text else -signal.SIGKILL
            return self.returncode

    def close(self) -> None:
        """Close the pipes and kill the program if it still runs."""
        for end in (self.stdin, self.stdout, self._life):
            with contextlib.suppress(OSError):
                end.close()


# In the nursery -------------------------------------------------------------------------------------------------------


def run_nursery(programs: int, zygotes: str, *preload: str) -> None:
    """The nursery's life: `programs` asks for programs, `zygotes` for zygotes, until their other ends close.

    `preload` are modules that programs will need and that hold no secret.
    """
    kernel.die_with_parent()
    if hung_up(programs):
        return
    gc.disable()  # until all is loaded: an import leaves little garbage behind
    load_torch()
    fork("maker", [programs], partial(make_zygotes, int(zygotes)))
    os.close(int(zygotes))
    for name in preload:
        with contextlib.suppress(Exception):  # a program that needs it says what is wrong
            importlib.import_module(name)
    gc.freeze()
    gc.enable()
    sys.dont_write_bytecode = True  # of grader/ alone, for the next run: not of a course
    serve_programs(programs)
    reap(0)
    os._exit(0)  # taking torch apart takes as long as a tenth of loading it, and the run would wait


def fork(name: str, others: Iterable[int], life: Callable[[], object]) -> int:
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
        with contextlib.suppress(OSError):
            Path("/proc/self/comm").write_bytes(name.encode())
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


def reap(options: int) -> None:
    """Wait for processes that were forked here: only their parent learns what processor time they took."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, options) != (0, 0):
            pass


def serve_programs(descriptor: int) -> None:
    """Fork a program for each message, which brings its life line, standard input, output, and what it is given."""
    control = socket.socket(fileno=descriptor)
    control.set_inheritable(False)
    wake_read, wake_write = wake_pipe()
    running: dict[int, int] = {}  # a program's life line, and its process
    while True:
        ready, _, _ = select.select([descriptor, wake_read, *running], [], [])
        if wake_read in ready:
            os.read(wake_read, 4096)
        for life, pid in list(running.items()):
            is_over = life in ready  # nothing is ever sent on it
            if is_over:  # not reaped yet, so the pid cannot be somebody else's
                os.kill(pid, signal.SIGKILL)
            ended, status = os.waitpid(pid, 0 if is_over else os.WNOHANG)
            if ended:
                del running[life]
                with contextlib.suppress(OSError):
                    os.write(life, b"%d\n" % os.waitstatus_to_exitcode(status))
                os.close(life)
        if descriptor in ready:
            data, received, _, _ = socket.recv_fds(control, 1, 4)
            if not data:
                return
            life, *given = received
            others = [descriptor, wake_read, wake_write, *running, life]
            running[life] = fork("grader", others, partial(become_program, given))
            for each in given:
                os.close(each)


def become_program(given: list[int]) -> None:
    """What to do comes as the first line of standard input: see Nursery.program."""
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


# In the maker of zygotes ----------------------------------------------------------------------------------------------


def make_zygotes(descriptor: int) -> None:
    """Fork a zygote for every socket that arrives on `descriptor`; all that zygotes need is loaded once, here.

    A fork is made as soon as a plan arrives on its socket. Where several sockets came, memory is collapsed into large
    pages while nobody waits, once for all of them. This process is as clean as a zygote, and never serves a worker
    itself. It ends after its zygotes, once the other end closes.
    """
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # as in a zygote that was started by itself
    make_ready()
    control = socket.socket(fileno=descriptor)
    control.set_inheritable(False)
    small, sockets, waiting = large_pieces(), 0, list[int]()
    while True:
        ready, _, _ = select.select([descriptor, *waiting], [], [], 0 if small and sockets > 1 else None)
        if not ready:
            collapse(small.pop())
        for each in ready:
            if each != descriptor:
                waiting.remove(each)
                fork("zygote", [descriptor, *waiting], partial(become_zygote, each))
                os.close(each)
                continue
            data, received, _, _ = socket.recv_fds(control, 1, 1)
            if not data:
                return reap(0)
            waiting += received
            sockets += 1
        reap(os.WNOHANG)


def become_zygote(descriptor: int) -> None:
    """Its plan is the first line that its grader sends."""
    text = bytearray()
    while not text.endswith(b"\n"):  # byte by byte: what follows is not ours to read yet
        piece = os.read(descriptor, 1)
        if not piece:
            return
        text += piece
    plan = Plan.from_json(bytes(text))
    run_zygote(descriptor, plan, prepare_zygote(plan))
