"""Reads what students wrote in a process of its own, under limits of time and memory.

The readers' time is linear in the length of a text, but Python's own parser's need not be, and no reader is without
mistakes. A text for which a limit is reached costs its own student a sentence, and nobody else anything. The process is
started once and answers in a fraction of a millisecond; it is started again after it was stopped. What comes back is
JSON.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.sandbox.policy.numerical import Observation
from grader.sandbox.policy.static_check import Finding

if TYPE_CHECKING:
    from grader.intake.notebook.as_file import Origin
    from grader.lesson.notebook_table import NotebookLesson
    from grader.verdict.diagnosis.repairs.edits import Edit, Known

SECONDS = 2.0
"""Processor time for one text: a hundred times what a long file takes."""
WALL_SECONDS = 20.0
"""The same by the clock, for a process that gets no processor; where there is no timer, SECONDS twice."""
MEMORY_BYTES = 1 << 30
ROOT = Path(__file__).resolve().parents[2]
# -I -S: neither site-packages nor the current folder nor the environment decides what is imported; as in sandbox/client
BOOTSTRAP = """
import sys
from importlib import machinery, util
spec = machinery.PathFinder.find_spec("grader", [sys.argv[1]])
sys.modules["grader"] = util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["grader"])
from grader.source import reader_process as source_reading
source_reading.serve(sys.stdin.buffer, sys.stdout.buffer, float(sys.argv[2]), int(sys.argv[3]))
"""
KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR", "TEMP")


class ReadingStopped(Exception):
    """A text that could not be read within the limits; the text is the end of a sentence: "reading it took ..."."""


class ReadingFailed(Exception):
    """An error of ours in a reader."""


@dataclass(frozen=True)
class LessonRead:
    """What a notebook holds for one lesson. `refused`: why the notebook is not read for it.

    `attempted` is False where the notebook does not have the lesson's exercise at all.
    """

    source: bytes | None = None
    message: str | None = None
    origin: Origin | None = None
    refused: str | None = None
    attempted: bool = True


@dataclass(frozen=True)
class NotebookRead:
    """Attributes:
    lessons: {lesson's name: what there is for it}.
    cells: how many code cells there are; of a script 1, or 0 where Python cannot read it.
    defined: the functions and classes outside of others.
    too_much: why those are not known.
    refused: why nothing of it is read.
    """

    lessons: Mapping[str, LessonRead] = field(default_factory=dict)
    cells: int = 0
    defined: frozenset[str] = frozenset()
    too_much: str | None = None
    refused: str | None = None


class SourceReader:
    """One process that reads texts. Safe to use from any thread."""

    def __init__(
        self,
        seconds: float = SECONDS,
        memory: int = MEMORY_BYTES,
        wall_seconds: float = WALL_SECONDS,
        bootstrap: str = BOOTSTRAP,
    ) -> None:
        self._seconds, self._memory, self._bootstrap = seconds, memory, bootstrap
        self._wall = wall_seconds if hasattr(signal, "setitimer") else min(wall_seconds, 2 * seconds)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Starts the process, which loads while others work; done anyway when a text is to be read."""
        with self._lock:
            self._running()

    def close(self) -> None:
        with self._lock:
            self._end()

    def static_check(
        self, source: bytes, filename: str, entry_points: Sequence[str], neighbours: Mapping[str, bytes]
    ) -> list[Finding]:
        """policy.static_check.check. Raises ReadingStopped, ReadingFailed."""
        arguments = {"filename": filename, "entry_points": list(entry_points), "neighbours": list(neighbours)}
        found = self._ask("static_check", [source, *neighbours.values()], arguments)
        return [Finding(*entry) for entry in found]

    def numerical(
        self,
        source: bytes,
        filename: str,
        rows: Mapping[str, tuple[str, Sequence[str]]],
        neighbours: Mapping[str, bytes],
    ) -> list[Observation]:
        """policy.numerical.observe. Raises ReadingStopped, ReadingFailed."""
        arguments = {"filename": filename, "rows": rows, "neighbours": list(neighbours)}
        found = self._ask("numerical", [source, *neighbours.values()], arguments)
        return [Observation(*entry) for entry in found]

    def lines_of_changes(self, source: bytes, changes: Sequence[tuple[str, Sequence[str]]]) -> list[int | None]:
        """diagnosis.changed.lines_of_changes. Raises ReadingStopped, ReadingFailed."""
        wanted = [(function, sorted(changed)) for function, changed in changes]
        found: list[int | None] = self._ask("lines_of_changes", [source], {"changes": wanted})
        return found

    def nested_definitions(self, source: bytes, names: Sequence[str]) -> dict[str, tuple[int, str]]:
        """diagnosis.nested.nested_definitions. Raises ReadingStopped, ReadingFailed."""
        found = self._ask("nested_definitions", [source], {"names": list(names)})
        return {name: (line, inside) for name, (line, inside) in found.items()}

    def contents_of(self, source: bytes, functions: Sequence[str]) -> dict[str, Any]:
        """diagnosis.edits.contents_of. Raises ReadingStopped, ReadingFailed."""
        found: dict[str, Any] = self._ask("contents_of", [source], {"functions": list(functions)})
        return found

    def edits_of(self, source: bytes, function: str, named: str, known: Known) -> tuple[list[Edit], list[str]]:
        """diagnosis.edits.edits_of. Raises ReadingStopped, ReadingFailed."""
        from grader.verdict.diagnosis.repairs.edits import Edit

        arguments = {"function": function, "named": named, "known": asdict(known)}
        found, texts = self._ask("edits_of", [source], arguments)
        return [Edit(**edit) for edit in found], texts

    def notebook(
        self, data: bytes, shown: str, is_notebook: bool, lessons: Sequence[NotebookLesson], functions: bool
    ) -> NotebookRead:
        """notebook.reading.read_for, for all `lessons` at once. Raises ReadingStopped, ReadingFailed."""
        from grader.intake.notebook.as_file import Origin
        from grader.source.literals import WrittenNumber

        arguments = {
            "shown": shown,
            "is_notebook": is_notebook,
            "lessons": [lesson.to_dict() for lesson in lessons],
            "functions": functions,
        }
        answer = self._ask("notebook", [data], arguments)
        if "refused" in answer:
            return NotebookRead(refused=answer["refused"])
        found = {}
        for name, entry in answer["lessons"].items():
            if "refused" in entry:
                found[name] = LessonRead(refused=entry["refused"])
                continue
            origin = Origin(
                {line: (file, number) for line, (file, number) in entry["lines"]},
                answer["texts"] if entry["texts"] else {},
                entry["missing"],
                {row: (file, line) for row, (file, line) in entry["rows"].items()},
                entry["sizes"],
                {row: [WrittenNumber(*number) for number in found] for row, found in entry["numbers"].items()},
                entry["remarks"],
                tuple(entry["uncounted"]),
            )
            source = entry["source"]
            source = None if source is None else source.encode("utf-8", "surrogatepass")
            found[name] = LessonRead(source, entry["message"], origin, attempted=entry["attempted"])
        return NotebookRead(found, answer["cells"], frozenset(answer["defined"] or ()), answer.get("too_much"))

    def _ask(self, task: str, texts: Sequence[bytes], arguments: Mapping[str, Any]) -> Any:
        request = {"task": task, "arguments": arguments, "sizes": [len(text) for text in texts]}
        message = json.dumps(request).encode() + b"\n" + b"".join(texts)
        with self._lock:
            line = self._exchange(message) or self._exchange(message)  # it may have been killed for no fault of its own
        if line is None:
            raise ReadingStopped("the process that read it was stopped twice")
        reply = json.loads(line)
        if "stopped" in reply:
            raise ReadingStopped(f"reading it took more than {self._memory >> 20:,} MiB of memory")
        if "failed" in reply:
            raise ReadingFailed(f"{task}: {reply['failed']}")
        return reply["answer"]

    def _exchange(self, message: bytes) -> bytes | None:
        """The line of the reply; None where the process ended without one. Raises ReadingStopped."""
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        end = time.monotonic() + self._wall
        try:
            with killed_after(self._wall, process):
                process.stdin.write(message)
                process.stdin.flush()
                line = read_line(process.stdout.fileno(), end)
        except TimeoutError:
            self._end()
            raise ReadingStopped(f"reading it took more than {self._wall:g} seconds") from None
        except OSError:
            line = b""
        if line.endswith(b"\n"):
            if b'"stopped"' in line[:12]:
                self._end()  # what is left of its memory is in pieces
            return line
        late = time.monotonic() >= end
        status = self._end()
        if late or status == -getattr(signal, "SIGPROF", 0):
            raise ReadingStopped(f"reading it took more than {self._seconds:g} seconds")
        return None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", "-c", self._bootstrap),
                    *(str(ROOT), str(self._seconds), str(self._memory)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={name: os.environ[name] for name in KEPT if name in os.environ},
                cwd=ROOT.anchor,
                start_new_session=True,  # a Ctrl-C in the terminal is for who started it
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


def read_line(descriptor: int, end: float) -> bytes:
    """Bytes up to the end of a line, or up to the end of all. Raises TimeoutError after the time `end`."""
    found: list[bytes] = []
    poll = select.poll() if hasattr(select, "poll") else None
    if poll is not None:
        poll.register(descriptor, select.POLLIN | select.POLLHUP)
    while not (found and found[-1].endswith(b"\n")):
        if poll is not None and not poll.poll(max(0.0, end - time.monotonic()) * 1000):
            raise TimeoutError
        data = os.read(descriptor, 1 << 20)
        if not data:
            break
        found.append(data)
    return b"".join(found)


@contextlib.contextmanager
def killed_after(seconds: float, process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kills the process after so long, where one cannot wait for a pipe and for a time at once."""
    if hasattr(select, "poll"):
        yield
        return
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


_shared: dict[int, SourceReader] = {}  # by process: one that was forked has its own


def source_reader() -> SourceReader:
    """The one of this process."""
    number = os.getpid()
    if number not in _shared:
        _shared.clear()
        _shared[number] = SourceReader()
        atexit.register(_shared[number].close)
    return _shared[number]
