"""The coordinator's end of a nursery: zygotes and programs that start with torch loaded, in milliseconds."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO

from grader.sandbox.workers.clean_process import start_clean_process, wait_or_kill
from grader.sandbox.workers.endings import KILL


class NurseryEnded(Exception):
    """There is no nursery any more that could fork anything."""


class Nursery:
    """Starts a process with torch loaded from which zygotes and programs are forked: it is loaded once for all of them.

    For a coordinator with graders; each has a zygote, and each zygote its own namespaces. Safe to use from any thread,
    and to be made in one that lives as long: when it ends, the kernel ends the nursery with all that it forked.
    """

    def __init__(self, preload: Sequence[str] = ()) -> None:
        """`preload` are modules that programs will need and that hold no secret."""
        self._zygotes, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            number = str(theirs.fileno())
            keeps_bytecode = {"PYTHONDONTWRITEBYTECODE": "1" if sys.dont_write_bytecode else ""}
            self._process, self._programs = start_clean_process(
                "nursery", "nursery", number, *preload, more=[theirs], environment=keeps_bytecode
            )
        self._lock = threading.Lock()

    def zygote(self) -> socket.socket | None:
        """A socket whose other end becomes a zygote once a plan is sent on it; None when the nursery has ended."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
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
        request = {
            "program": text,
            "arguments": arguments,
            "environment": dict(os.environ),
            "folder": os.getcwd(),
            "path": path_of_a_program(),
        }
        life, their_life = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        input_read, input_write = os.pipe()
        output_read, output_write = os.pipe()
        stdin, stdout = os.fdopen(input_write, "wb"), os.fdopen(output_read, "rb")
        descriptors = [their_life.fileno(), input_read, output_write, *(each.fileno() for each in given)]
        forked = ForkedProcess(stdin, stdout, life)
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
            stdin.write(json.dumps(request).encode() + b"\n")
            stdin.flush()
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
    """A program that a nursery forked. Safe to use from any thread."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes], life: socket.socket) -> None:
        self.stdin, self.stdout, self._life = stdin, stdout, life
        self.returncode: int | None = None
        self._lock = threading.Lock()

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._life.sendall(KILL)

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
