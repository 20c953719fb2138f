"""The process that reads students' texts under limits of time and memory. reader.py starts it.

in: LENGTH_BYTES with the length of a pickle, then the pickle: (function, arguments, seconds of processor time)
out: a line: the processor time in seconds, a space, and JSON: {"answer": ...}, {"stopped": why} or
     {"failed": an error of the grader}

It imports neither torch nor anything of a student's, and it holds no secret.
"""

from __future__ import annotations

import contextlib
import gc
import json
import pickle
import resource
import signal
import time
from dataclasses import fields, is_dataclass
from typing import IO, Any

LENGTH_BYTES = 8
MEMORY = "memory"
MAX_UNCOLLECTED_BYTES = 20_000
"""Garbage is collected after a longer request only: a collection takes longer than reading a short text."""


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
    """Answers one request after another until there are no more. It ends where one takes more than its seconds.

    Args:
        memory: bytes of address space.
    """
    with contextlib.suppress(ValueError, OSError):  # a lower limit may be set already
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process also inside C code, as in a regular expression
    gc.disable()  # a syntax tree has a million objects, and none of them is garbage while it is read
    while header := requests.read(LENGTH_BYTES):
        request = requests.read(int.from_bytes(header, "big"))
        start = time.process_time()
        try:
            function, arguments, seconds = pickle.loads(request)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            data = json.dumps({"answer": function(*arguments)}, default=json_data).encode()
        except MemoryError:
            data = json.dumps({"stopped": MEMORY}).encode()
        except Exception as error:
            data = json.dumps({"failed": f"{type(error).__name__}: {error}"}).encode()
        signal.setitimer(signal.ITIMER_PROF, 0)
        replies.write(f"{time.process_time() - start:.6f} ".encode() + data + b"\n")
        replies.flush()
        if len(request) > MAX_UNCOLLECTED_BYTES:
            function = arguments = None
            gc.collect()
