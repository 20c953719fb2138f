"""Calls functions that read students' texts, in one process under limits of time and memory.

The readers' time is linear in the length of a text, but that of Python's own parser need not be, and a reader may have
an error. A text for which a limit is reached costs its own student a sentence and delays nobody else. The process
starts once, answers in a fraction of a millisecond, and starts again after it was stopped. It imports neither torch nor
anything of a student's, and it holds no secret.

Requests are pickled: they come from the trusted side only. Replies are lines of JSON: they come from a process that
read a student's text.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib.machinery
import importlib.util
import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import IO, Any

READING_SECONDS = 60.0
"""Processor time for one call: hundreds of times what the lecture's notebook takes. It guards against a text that takes
Python's parser for ever; how much of a text is read is limited by counts (bytes, statements, braces)."""
SUBMISSION_SECONDS = 300.0
"""Processor time for all calls about one submission, which may consist of a hundred files."""
MEMORY_BYTES = 1 << 30
LENGTH_BYTES = 8
MAX_UNCOLLECTED_BYTES = 20_000
"""Garbage is collected after a longer request only: a collection takes longer than reading a short text."""
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
    """

    def __init__(self, seconds: float = READING_SECONDS, memory: int = MEMORY_BYTES) -> None:
        self._seconds, self._memory = seconds, memory
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
        took_seconds = limit = self._seconds if seconds is None else seconds  # where no reply comes
        request = pickle.dumps((function, arguments, limit))
        try:
            with self._lock:  # the process may have been killed for no fault of its own
                line = self._exchange(request, limit) or self._exchange(request, limit)
            if line is None:
                raise ReadingStopped("the process that read it was stopped twice")
            reply = json.loads(line)
            took_seconds = reply["seconds"]
        finally:
            if left is not None:
                left[0] -= took_seconds
        if "stopped" in reply:
            raise ReadingStopped(f"reading it took more than {self._memory >> 20:,} MiB of memory")
        if "failed" in reply:
            raise ReadingFailed(f"{function.__name__}: {reply['failed']}")
        return reply["answer"]

    def _exchange(self, request: bytes, seconds: float) -> bytes | None:
        """The line of the reply; None where the process ended without one. Raises ReadingStopped."""
        process, line = self._running(), b""
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.write(len(request).to_bytes(LENGTH_BYTES, "big") + request)
            process.stdin.flush()
            line = process.stdout.readline()
        if line.endswith(b"\n"):
            return line
        if self._end() == -signal.SIGPROF:
            raise ReadingStopped(f"reading it took more than {seconds:g} seconds")
        return None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            # With -I -S neither site-packages nor the current folder nor the environment decides what is imported.
            # torch is in site-packages, so the process cannot import it.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(__file__).resolve()), str(self._memory)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ},
                cwd=Path(__file__).resolve().anchor,
                start_new_session=True,  # a Ctrl-C in the terminal reaches only the parent
            )
        return self._process

    def _end(self) -> int:
        """Ends the process, which gives its exit status (negative: the signal)."""
        process, self._process = self._process, None
        if process is None:
            return 0
        process.kill()
        with contextlib.suppress(OSError):  # of a request that the process has not read
            process.communicate()
        return process.wait()


_shared: dict[int, SourceReader] = {}  # {process id: its reader}: a forked process needs its own


def source_reader() -> SourceReader:
    """The reader that all of this process share. It is closed when the process exits."""
    number = os.getpid()
    if number not in _shared:
        _shared.clear()
        _shared[number] = SourceReader()
        atexit.register(_shared[number].close)
    return _shared[number]


# In the process ------------------------------------------------------------------------------------------------------


def json_data(value: Any) -> Any:
    """A dataclass as a dictionary, a set as a list in order, bytes in hexadecimal. Raises TypeError for others."""
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"{type(value).__name__} is not sent back")


def serve(requests: IO[bytes], replies: IO[bytes], memory: int) -> None:
    """Answers one request after another until there are no more. It ends where one reaches a limit."""
    with contextlib.suppress(ValueError, OSError):  # a lower limit may be set already
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process also inside C code, as in a regular expression
    gc.disable()  # a syntax tree has a million objects, and none of them is garbage while it is read
    reply: dict[str, Any] = {}
    while "stopped" not in reply and (header := requests.read(LENGTH_BYTES)):  # else its memory is fragmented
        request = requests.read(int.from_bytes(header, "big"))
        start = time.process_time()
        try:
            function, arguments, seconds = pickle.loads(request)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            reply = {"answer": function(*arguments)}
            line = json.dumps({"seconds": time.process_time() - start, **reply}, default=json_data)
        except (MemoryError, Exception) as error:
            kind = "stopped" if isinstance(error, MemoryError) else "failed"
            reply = {"seconds": time.process_time() - start, kind: f"{type(error).__name__}: {error}"}
            line = json.dumps(reply)
        signal.setitimer(signal.ITIMER_PROF, 0)
        replies.write(line.encode() + b"\n")
        replies.flush()
        if len(request) > MAX_UNCOLLECTED_BYTES:
            function = arguments = None
            gc.collect()


if __name__ == "__main__":  # only `grader` itself is imported from the folder that it is in
    spec = importlib.machinery.PathFinder.find_spec("grader", [str(Path(__file__).resolve().parents[2])])
    assert spec is not None and spec.loader is not None
    sys.modules["grader"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["grader"])
    serve(sys.stdin.buffer, sys.stdout.buffer, int(sys.argv[1]))
