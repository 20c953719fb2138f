"""Grading of many submissions in several grader processes: each takes the next one, and results come as they arrive."""

from __future__ import annotations

import contextlib
import json
import pickle
import queue
import subprocess
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grader.gradebook.files import OutputError
from grader.gradebook.grading.follow import Feed
from grader.gradebook.grading.settings import START_GRADER_CODE, Settings
from grader.intake.submissions.submission import Submission
from grader.results import SubmissionResult
from grader.sandbox.workers.forked import ForkedProcess, Nursery, NurseryEnded

MAX_GRADING_TRIES = 2
JOIN_SECONDS = 5.0
SIGNAL_SECONDS = 1.0
"""How long to wait for a reply. Python hears of a signal that came just before a wait only when the wait ends."""
WITHIN = b'{"within":'
"""How the line begins in which a grader says how long a submission may take from now on."""


@dataclass
class Reply:
    """The answer to a submission: its `results`, or the `fault` of the grader for which it could not be graded.

    With results come `extras`, what only the report shows, and `drawings`, which reports of this lesson have in common:
    see GradedSubmission.extras and Publisher.new_drawings. From a cluster come `files`, {name: text} of the student's
    folder, or `refused`, why a worker must not grade.
    `plain` is why the report that was written is plain (see gradebook.guarded), or "".
    """

    results: SubmissionResult | None = None
    fault: str = ""
    extras: dict[str, Any] | None = None
    drawings: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    refused: str = ""
    plain: str = ""


Replies = Generator[tuple[Submission, Reply], None, None]


class GraderProcess:
    """One grader process, see server.py, started again when it dies. It and its zygotes come from a nursery."""

    def __init__(self, settings: Settings, nursery: Nursery | None = None) -> None:
        """Without `nursery` it has one of its own, and so after the other has ended."""
        self._settings, self._nursery = settings, nursery
        self._private_nursery = None if nursery else Nursery([settings.program])
        self._closing, self._lock = False, threading.Lock()
        self._process = self._start()

    def _start(self) -> ForkedProcess:
        nursery = self._private_nursery or self._nursery
        assert nursery is not None
        zygote = nursery.zygote()
        with zygote or contextlib.nullcontext():
            try:
                arguments = self._settings.program, self._settings.to_json()
                return nursery.program(START_GRADER_CODE, *arguments, given=[zygote] if zygote else [])
            except NurseryEnded:
                if self._private_nursery is not None:
                    self._private_nursery.close(at_once=True)
                self._private_nursery = Nursery([self._settings.program])
        return self._start()

    def grade(self, submission: Submission) -> Reply:
        """The reply, after MAX_GRADING_TRIES attempts in fresh processes. Raises OutputError.

        A submission that occupies a grader for longer than its limits is rejected: its process is ended, and a fresh
        one writes the result that says so.
        """
        if submission.fault:
            return Reply(fault=submission.fault)
        fault = ""
        for _ in range(MAX_GRADING_TRIES):
            line, late = self._request(submission)
            if late:
                submission = with_timeout_message(submission, late)
            if line.endswith(b"\n"):
                reply = json.loads(line)
                if "unwritable" in reply:
                    raise OutputError(reply["unwritable"])
                if "results" in reply:
                    results = SubmissionResult.from_json(reply["results"])
                    names = ("extras", "drawings", "plain")
                    return Reply(results, **{name: reply[name] for name in names if name in reply})
                fault = reply["fault"]
            else:
                fault = f"A grader process ended (status {self._process.wait()})."
                with self._lock:
                    if self._closing:
                        break
                    self._process = self._start()
        return Reply(fault=fault)

    def _request(self, submission: Submission) -> tuple[bytes, float]:
        """(the reply's line; b"" when the process ended, the seconds after which it was ended for taking longer)."""
        late = threading.Event()
        process, limit = self._process, 0.0

        def kill_late() -> None:
            late.set()
            process.kill()

        try:
            pickle.dump(submission, process.stdin)
            process.stdin.flush()
            line = process.stdout.readline()
            while line.startswith(WITHIN):
                seconds = float(json.loads(line)["within"])
                limit = limit or seconds
                timer = threading.Timer(seconds, kill_late)
                timer.daemon = True
                timer.start()
                try:
                    line = process.stdout.readline()
                finally:
                    timer.cancel()
        except (OSError, ValueError):
            line = b""
        return line, limit if late.is_set() and not line.endswith(b"\n") else 0.0

    def close(self) -> None:
        try:
            self._process.stdin.close()
            self._process.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            self.kill()
        else:
            self._release()

    def stay_ended(self) -> None:
        """Do not start the process again when it ends."""
        with self._lock:
            self._closing = True

    def kill(self) -> None:
        self.stay_ended()
        self._process.kill()
        if self._private_nursery is not None:  # it may still be loading torch, and not hear of it
            self._private_nursery.close(at_once=True)
        self._process.wait()
        self._release()

    def _release(self) -> None:
        self._process.close()
        if self._private_nursery is not None:
            self._private_nursery.close(at_once=True)


def with_timeout_message(submission: Submission, seconds: float) -> Submission:
    """The submission with the message that it took too long, for which nothing of it is graded."""
    message = (
        f"Grading was stopped after {round(seconds, 1):g} seconds, the most that a submission may take. Does a "
        "function return something very large, or is the file very long?"
    )
    return replace(submission, message=message)


def ignore_start(student: str) -> None:
    pass


def grade_all(
    submissions: Iterable[Submission],
    settings: Settings,
    jobs: int,
    on_start: Callable[[str], None] = ignore_start,
    nursery: Nursery | None = None,
) -> Replies:
    """(submission, reply) in the order in which they finish; submissions are taken one by one as graders are free.

    `on_start` is called with each student as grading begins, from any thread. Leaving the loop early ends the grader
    processes; after a KeyboardInterrupt what had finished comes first, then the KeyboardInterrupt. `nursery` may have
    been started earlier; it is closed at the end. With a Feed it goes on until it is interrupted. Raises OutputError.
    """
    graders: list[GraderProcess] = []
    batch = Batch(submissions, on_start, graders)
    threads: list[threading.Thread] = []
    ended = False
    nursery = nursery or Nursery([settings.program])
    try:
        for _ in range(max(1, jobs)):
            graders.append(GraderProcess(settings, nursery))
            threads.append(threading.Thread(target=batch.work, args=(graders[-1],), daemon=True))
            threads[-1].start()
        yield from batch.finished(len(graders))
        ended = True
    except KeyboardInterrupt:
        batch.stop(graders, nursery)
        yield from batch.remaining()
        raise
    finally:
        if ended:
            for grader in graders:
                grader.close()
        else:
            batch.stop(graders, nursery)
        for thread in threads:  # one that still reads when Python ends aborts the process
            thread.join(JOIN_SECONDS)
        nursery.close(at_once=not ended)


class Batch:
    """Shared by the threads, one per grader process: the submissions that wait, and the replies."""

    def __init__(
        self, submissions: Iterable[Submission], on_start: Callable[[str], None], graders: Sequence[GraderProcess]
    ) -> None:
        self._graders = graders
        self._waiting, self._on_start = iter(submissions), on_start
        self._feed = submissions if isinstance(submissions, Feed) else None
        self._next_lock, self._stopping = threading.Lock(), threading.Event()
        # a pair to yield, an exception to raise, or None from a thread that has finished
        self._done: queue.SimpleQueue[tuple[Submission, Reply] | Exception | None] = queue.SimpleQueue()

    def work(self, grader: GraderProcess) -> None:
        try:
            while (submission := self._next()) is not None:
                self._on_start(submission.student)
                try:
                    reply = grader.grade(submission)
                except OutputError:
                    raise
                except Exception as error:  # report this fault, and grade the others
                    reply = Reply(fault=f"{type(error).__name__}: {error}")
                if not self._stopping.is_set():
                    self._done.put((submission, reply))
            self._done.put(None)
        except Exception as error:  # else finished() would wait for this thread for ever
            self._done.put(error)

    def _next(self) -> Submission | None:
        with self._next_lock:
            return None if self._stopping.is_set() else next(self._waiting, None)

    def finished(self, threads: int) -> Iterator[tuple[Submission, Reply]]:
        while threads:
            try:
                entry = self._done.get(timeout=self._feed.tick() if self._feed is not None else SIGNAL_SECONDS)
            except queue.Empty:
                continue
            if isinstance(entry, Exception):
                raise entry
            if entry is None:
                threads -= 1
            else:
                yield entry

    def remaining(self) -> Iterator[tuple[Submission, Reply]]:
        """Replies that arrived before the stop and were not yielded yet."""
        while not self._done.empty():
            entry = self._done.get()
            if isinstance(entry, tuple):
                yield entry

    def stop(self, graders: Sequence[GraderProcess], nursery: Nursery) -> None:
        self._stopping.set()
        if self._feed is not None:
            self._feed.close()
        for grader in graders:
            grader.stay_ended()
        nursery.close(at_once=True)  # ends graders as well: it may still be loading torch, and not hear of them
        for grader in graders:
            grader.kill()
