"""Grading of many submissions in several grader processes: each takes the next one, and results come as they arrive."""

from __future__ import annotations

import contextlib
import json
import pickle
import queue
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from grader.gradebook.files import OutputError
from grader.gradebook.grading.settings import START_GRADER_CODE, Settings
from grader.intake.submissions.submission import Submission
from grader.results import SubmissionResult
from grader.sandbox.workers.forked import ForkedProcess, Nursery, NurseryEnded

MAX_GRADING_TRIES = 2
JOIN_SECONDS = 5.0
SIGNAL_SECONDS = 1.0
"""How long to wait for a reply. Python hears of a signal that came just before a wait only when the wait ends."""
AHEAD = 3
"""Submissions that are read ahead for each grader process: one is graded, and others wait for it."""
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


class GraderPool:
    """Grader processes, each with a thread that gives it one submission after another.

    It closes the `nursery`, which may have been started earlier. `on_start` is called with each student as grading
    begins, from any thread.
    """

    def __init__(
        self,
        settings: Settings,
        jobs: int,
        on_start: Callable[[str], None] = ignore_start,
        nursery: Nursery | None = None,
    ) -> None:
        self._on_start, self._nursery = on_start, nursery or Nursery([settings.program])
        self._waiting: queue.SimpleQueue[Submission | None] = queue.SimpleQueue()
        # a pair, or the exception that has ended a thread
        self._done: queue.SimpleQueue[tuple[Submission, Reply] | Exception] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self.room = AHEAD * jobs
        """How many more submissions it takes before graders have enough to do."""
        self._graders: list[GraderProcess] = []
        self._threads: list[threading.Thread] = []
        self.students: Counter[str] = Counter()
        """The students whose submissions have no reply yet."""
        try:
            for _ in range(max(1, jobs)):
                self._graders.append(GraderProcess(settings, self._nursery))
                self._threads.append(threading.Thread(target=self._work, args=(self._graders[-1],), daemon=True))
                self._threads[-1].start()
        except BaseException:
            self.close(at_once=True)
            raise

    def submit(self, submission: Submission) -> None:
        """Have a submission graded."""
        self.students[submission.student] += 1
        self.room -= 1
        self._waiting.put(submission)

    def replies(self, seconds: float = SIGNAL_SECONDS) -> Iterator[tuple[Submission, Reply]]:
        """What is graded by now; where there is none, wait so many seconds for the first. Raises OutputError."""
        with contextlib.suppress(queue.Empty):
            yield self._received(self._done.get(timeout=seconds))
            while True:
                yield self._received(self._done.get_nowait())

    def _received(self, entry: tuple[Submission, Reply] | Exception) -> tuple[Submission, Reply]:
        if isinstance(entry, Exception):
            raise entry
        self.students -= Counter([entry[0].student])
        self.room += 1
        return entry

    def _work(self, grader: GraderProcess) -> None:
        try:
            while (submission := self._waiting.get()) is not None and not self._stopping.is_set():
                self._on_start(submission.student)
                try:
                    reply = grader.grade(submission)
                except OutputError:
                    raise
                except Exception as error:  # report this fault, and grade the others
                    reply = Reply(fault=f"{type(error).__name__}: {error}")
                if not self._stopping.is_set():
                    self._done.put((submission, reply))
        except Exception as error:
            self._done.put(error)

    def close(self, at_once: bool = False) -> None:
        """End the grader processes; `at_once` also those that are grading. Replies that arrived can still be taken."""
        if at_once:
            self._stopping.set()
            for grader in self._graders:
                grader.stay_ended()
            self._nursery.close(at_once=True)  # ends graders as well: it may still be loading torch
        for grader in self._graders:
            self._waiting.put(None)
            if at_once:
                grader.kill()
        for thread in self._threads:  # one that still reads when Python ends aborts the process
            thread.join(JOIN_SECONDS)
        if not at_once:
            for grader in self._graders:
                grader.close()
            self._nursery.close()


def grade_each(pool: GraderPool, submissions: Iterable[Submission]) -> Replies:
    """(submission, reply) in the order in which they finish. Submissions are read as graders become free."""
    for submission in submissions:
        pool.submit(submission)
        yield from pool.replies(0)
        while pool.room <= 0:
            yield from pool.replies()
    while pool.students:
        yield from pool.replies()


def grade_all(
    submissions: Iterable[Submission],
    settings: Settings,
    jobs: int,
    on_start: Callable[[str], None] = ignore_start,
    nursery: Nursery | None = None,
    grade: Callable[[GraderPool, Any], Replies] = grade_each,
) -> Replies:
    """`grade(pool, submissions)` with a pool of `jobs` graders, which ends with it.

    Leaving the loop early ends graders in the midst of their work; after a KeyboardInterrupt what had finished comes
    first, then the KeyboardInterrupt. Raises OutputError.
    """
    pool, ended = GraderPool(settings, jobs, on_start, nursery), False
    try:
        yield from grade(pool, submissions)
        ended = True
    except KeyboardInterrupt:
        pool.close(at_once=True)
        yield from pool.replies(0)
        raise
    finally:
        pool.close(at_once=not ended)
