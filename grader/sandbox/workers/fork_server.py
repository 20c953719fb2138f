"""A process with one thread that forks a child for each request, and both ends of a child's life line.

A request is a byte with descriptors: the child's life line, and what the child is given. The server kills the child
when the other end of the life line closes, and writes there how the child ended and what it used. So a nursery forks
graders, a maker zygotes, and a zygote workers.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from grader.errors import ZygoteDied
from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.limits import Usage, processor_seconds, used_by

FORK, ASK_SECONDS = b"f", b"?"
"""Requests: fork a child; answer with the processor time of all children so far, as text: nan where it is not known."""


class ServerEnded(ZygoteDied):
    """The fork server has ended, and all its children with it: a zygote with workers, or a nursery with graders."""


class Ending(NamedTuple):
    """How a child ended; a negative status is the signal's number."""

    status: int
    used: Usage


class Child:
    """A child, as the process that requested it sees it. Safe to use from any thread."""

    def __init__(self, server: socket.socket, given: Sequence[int], shared: Sequence[int] = ()) -> None:
        """Has a child forked that gets `given`, which are closed here, and copies of `shared`. Raises ServerEnded."""
        self._life, theirs = socket.socketpair()
        self._lock = threading.Lock()
        self._ending: Ending | None = None
        try:
            socket.send_fds(server, [FORK], [theirs.fileno(), *given, *shared])
        except OSError as error:
            self._life.close()
            raise ServerEnded(str(error)) from error
        finally:
            for descriptor in (theirs.detach(), *given):
                os.close(descriptor)

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._life.shutdown(socket.SHUT_WR)

    def ending(self, seconds: float | None = None) -> Ending:
        """Waits until it has ended. Raises TimeoutError, and ServerEnded."""
        with self._lock:
            if self._ending is None:
                self._life.settimeout(seconds)
                try:
                    text = self._life.recv(256)
                except TimeoutError:
                    raise
                except OSError:
                    text = b""
                if not text:
                    raise ServerEnded("the fork server ended")
                status, used = json.loads(text)
                self._ending = Ending(status, Usage(*used))
            return self._ending

    def close(self) -> None:
        """Kills it if it still runs."""
        self._life.close()


class ForkServer:
    """The server's end: `live(given)` is what a child does, in a process called `name`."""

    def __init__(
        self,
        control: socket.socket,
        live: Callable[[list[int]], object],
        name: str = "",
        fork: Callable[[], int] = os.fork,
    ) -> None:
        control.set_inheritable(False)
        self._control, self._live, self._name, self._fork = control, live, name, fork
        self._running: dict[int, int] = {}  # a child, and its life line
        self._used_by_ended = 0.0  # seconds
        self._wake, self._woken = os.pipe()  # readable when a child has ended
        os.set_blocking(self._woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._woken)

    def serve(self) -> None:
        """Runs until the other end of the control socket closes; then every child is killed."""
        is_open = True
        while is_open:
            ready, _, _ = select.select(self._descriptors(), [], [])
            if self._wake in ready:
                os.read(self._wake, 4096)
            self._reap([pid for pid, life in self._running.items() if life in ready])  # nothing is sent on it
            is_open = self._control.fileno() not in ready or self._take_request()
        self._reap([*self._running])

    def _descriptors(self) -> list[int]:
        return [self._control.fileno(), self._wake, *self._running.values()]

    def _take_request(self) -> bool:
        try:
            request, given, _, _ = socket.recv_fds(self._control, 1, 8)
        except ConnectionResetError:  # the other end closed without having read all that was sent
            return False
        if request == ASK_SECONDS:
            with contextlib.suppress(OSError):
                self._control.sendall(str(self._used_by_ended + processor_seconds(self._running)).encode())
        elif request:
            life = given.pop(0)
            not_theirs = [*self._descriptors(), self._woken, life]
            self._running[fork_child(self._name, lambda: self._live(given), not_theirs, self._fork)] = life
            for each in given:
                os.close(each)
        return bool(request)

    def _reap(self, killed: Collection[int]) -> None:
        """Kill these children, and take note of all that have ended."""
        for pid, life in list(self._running.items()):
            if pid in killed:
                kill_group(pid)
                os.kill(pid, signal.SIGKILL)  # not reaped yet, so the number cannot be somebody else's
            ended, status, usage = os.wait4(pid, 0 if pid in killed else os.WNOHANG)
            if ended:
                kill_group(pid)  # whatever it left behind in its group
                ending = Ending(os.waitstatus_to_exitcode(status), used_by(usage))
                self._used_by_ended += ending.used.cpu_seconds
                del self._running[pid]
                with contextlib.suppress(OSError):
                    os.write(life, json.dumps(ending).encode())
                os.close(life)


def kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def fork_child(
    name: str, live: Callable[[], object], not_theirs: Iterable[int] = (), fork: Callable[[], int] = os.fork
) -> int:
    """A fresh fork that lives `live` without some descriptors, under that name in a list of processes."""
    parent = os.getpid()
    pid = fork()
    if pid:
        return pid
    status = 1
    try:
        kernel.die_with_parent(parent)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for descriptor in not_theirs:  # held open here, they would hide that their other ends were closed
            os.close(descriptor)
        if name:
            with contextlib.suppress(OSError):
                Path("/proc/self/comm").write_bytes(name.encode())
        live()
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
