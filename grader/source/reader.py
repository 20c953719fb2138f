"""Calls functions that read students' texts, in one process under limits of time and memory.

The readers' time is linear in the length of a text, but that of Python's own parser need not be, and a reader may have
an error. A text for which a limit is reached costs its own student a sentence and delays nobody else. The process
starts once, answers in a fraction of a millisecond, and starts again after it was stopped.

Requests are pickled: they come from the trusted side only. Replies are JSON: they come from a process that read a
student's text.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from grader.source.reader_process import LENGTH_BYTES

READING_SECONDS = 60.0
"""Processor time for one call: hundreds of times what the lecture's notebook takes. It guards against a text that takes
Python's parser for ever; how much of a text is read is limited by counts (bytes, statements, braces)."""
SUBMISSION_SECONDS = 300.0
"""Processor time for all calls about one submission, which may consist of a hundred files."""
WALL_SECONDS = 600.0
"""Elapsed time for one call, however busy the machine is."""
MEMORY_BYTES = 1 << 30
READER_PATH = Path(__file__).resolve().parents[2]
# With -I -S neither site-packages nor the current folder nor the environment decides what is imported. torch is in
# site-packages, so the process cannot import it.
READER_BOOTSTRAP = """
import sys
from importlib import machinery, util
spec = machinery.PathFinder.find_spec("grader", [sys.argv[1]])
sys.modules["grader"] = util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["grader"])
from grader.source import reader_process
reader_process.serve(sys.stdin.buffer, sys.stdout.buffer, int(sys.argv[2]))
"""
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "TEMP")


class ReadingStopped(Exception):
    """A text could not be read within the limits. The message is the end of a sentence: "reading it took ..."."""


class ReadingFailed(Exception):
    """A reader raised an exception: an error of the grader."""


_seconds_left: ContextVar[list[float] | None] = ContextVar("seconds_left", default=None)
"""[the processor time that is left for the files of the submission being read]"""


@contextlib.contextmanager
def one_submission() -> Iterator[None]:
    """All calls inside may take SUBMISSION_SECONDS of processor time together, and one call more.

    Inside another such block, that block's time counts.
    """
    token = _seconds_left.set(_seconds_left.get() or [SUBMISSION_SECONDS])
    try:
        yield
    finally:
        _seconds_left.reset(token)


class SourceReader:
    """One process that reads texts. Safe to use from any thread.

    Args:
        seconds: processor time for one call.
        memory: bytes of address space of the process.
        wall_seconds: elapsed time for one call.
    """

    def __init__(
        self, seconds: float = READING_SECONDS, memory: int = MEMORY_BYTES, wall_seconds: float = WALL_SECONDS
    ) -> None:
        self._seconds, self._memory = seconds, memory
        self._wall = wall_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Starts the process, so that it loads while other processes do. `call` starts it where that was not done."""
        with self._lock:
            self._running()

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            self._end()

    def call(self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Any:
        """What `function(*arguments)` returns in the process, as JSON gives it back.

        It may take `seconds` of processor time, by default those of this reader.

        The process imports the module of `function` by name and must find the function in it; arguments are pickled.
        The result's dataclasses come back as dictionaries, its tuples and sets as lists, and its keys as strings.

        Raises:
            ReadingStopped: a limit was reached.
            ReadingFailed: the function raised.
        """
        left = _seconds_left.get()
        if left is not None and left[0] <= 0:
            raise ReadingStopped(f"reading all files of the submission took more than {SUBMISSION_SECONDS:g} seconds")
        limit = seconds if seconds is not None else self._seconds
        request = pickle.dumps((function, arguments, limit))
        message = len(request).to_bytes(LENGTH_BYTES, "big") + request
        took_seconds = limit  # where no reply comes
        try:
            with self._lock:  # the process may have been killed for no fault of its own
                line = self._exchange(message, limit) or self._exchange(message, limit)
            if line is None:
                raise ReadingStopped("the process that read it was stopped twice")
            took, _, data = line.partition(b" ")
            took_seconds = float(took)
        finally:
            if left is not None:
                left[0] -= took_seconds
        reply = json.loads(data)
        if "stopped" in reply:
            raise ReadingStopped(f"reading it took more than {self._memory >> 20:,} MiB of memory")
        if "failed" in reply:
            raise ReadingFailed(f"{function.__name__}: {reply['failed']}")
        return reply["answer"]

    def _exchange(self, message: bytes, seconds: float) -> bytes | None:
        """The line of the reply; None where the process ended without one. Raises ReadingStopped."""
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        end = time.monotonic() + max(self._wall, 2 * seconds)
        try:
            process.stdin.write(message)
            process.stdin.flush()
            line = read_reply_line(process.stdout.fileno(), end)
        except TimeoutError:
            self._end()
            raise ReadingStopped(f"reading it took more than {self._wall:g} seconds") from None
        except OSError:
            line = b""
        if line.endswith(b"\n"):
            if line[:40].partition(b" ")[2].startswith(b'{"stopped"'):
                self._end()  # its memory is fragmented
            return line
        if self._end() == -signal.SIGPROF:
            raise ReadingStopped(f"reading it took more than {seconds:g} seconds")
        return None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", "-c", READER_BOOTSTRAP),
                    *(str(READER_PATH), str(self._memory)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ},
                cwd=READER_PATH.anchor,
                start_new_session=True,  # a Ctrl-C in the terminal reaches only the parent
            )
        return self._process

    def _end(self) -> int:
        """Ends the process, which gives its exit status (negative: the signal)."""
        process, self._process = self._process, None
        if process is None:
            return 0
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close() if pipe else None
        return process.wait()


def read_reply_line(descriptor: int, end: float) -> bytes:
    """Bytes up to the end of a line or of the file. Raises TimeoutError at the time `end` of time.monotonic()."""
    found: list[bytes] = []
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    while not (found and found[-1].endswith(b"\n")):
        if not poll.poll(max(0.0, end - time.monotonic()) * 1000):
            raise TimeoutError
        data = os.read(descriptor, 1 << 20)
        if not data:
            break
        found.append(data)
    return b"".join(found)


_shared: dict[int, SourceReader] = {}  # {process id: its reader}: a forked process needs its own


def source_reader() -> SourceReader:
    """The reader that all of this process share. It is closed when the process exits."""
    number = os.getpid()
    if number not in _shared:
        _shared.clear()
        _shared[number] = SourceReader()
        atexit.register(_shared[number].close)
    return _shared[number]
