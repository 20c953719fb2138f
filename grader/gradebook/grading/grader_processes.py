"""Grading of many submissions in several grader processes: each takes the next one, and results come as they arrive."""

from __future__ import annotations

import contextlib
import json
import pickle
import queue
import select
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from grader.gradebook.grading.settings import START_GRADER_CODE, Settings
from grader.intake.submissions.submission import Submission
from grader.results import SubmissionResult
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.workers.nursery import ForkedProcess, Nursery, NurseryEnded
from grader.sandbox.workers.waiting import WALL_FACTOR

MAX_GRADING_TRIES = 2
JOIN_SECONDS = 5.0
SIGNAL_SECONDS = 1.0
"""How long to wait for a reply. Python hears of a signal that came just before a wait only when the wait ends."""
AHEAD = 3
"""Submissions that are read ahead for each grader process: one is graded, and others wait for it."""
LESSON_SECONDS = 120.0
"""How much longer than its workers a lesson may occupy a grader, for its hidden suite and references, its verdicts,
explanations and report: more than twenty times what they take."""


@dataclass
class Reply:
    """The answer to a submission: its `results`, or the `fault` of the grader for which it could not be graded.

    With results come `extras`, what only the report shows: see GradedSubmission.extras.
    """

    results: SubmissionResult | None = None
    fault: str = ""
    extras: dict[str, Any] | None = None


Replies = Generator[tuple[Submission, Reply], None, None]


class GraderProcess:
    """One grader process, see server.py, started again when it ends. It and its zygote come from a nursery."""

    def __init__(self, settings: Settings, nursery: Nursery | None = None) -> None:
        """Without `nursery` it has one of its own, and so after the other has ended."""
        self._settings, self._nursery = settings, nursery or Nursery([settings.program])
        self._own_nursery = None if nursery else self._nursery
        self._is_ended, self._lock = False, threading.Lock()
        self._process = self._start()
        self._is_ready = False

    def _start(self) -> ForkedProcess:
        zygote = self._nursery.zygote()
        with zygote or contextlib.nullcontext(), contextlib.suppress(NurseryEnded):
            arguments = self._settings.program, self._settings.to_json()
            return self._nursery.program(START_GRADER_CODE, *arguments, given=[zygote] if zygote else [])
        self._nursery = self._own_nursery = Nursery([self._settings.program])
        return self._start()

    def grade(self, submission: Submission) -> Reply:
        """The reply, after MAX_GRADING_TRIES attempts in fresh processes.

        A submission that occupies a grader for longer than its limits is rejected: its process is ended, and a fresh
        one gives the result that says so.
        """
        if submission.fault:
            return Reply(fault=submission.fault)
        fault = ""
        for _ in range(MAX_GRADING_TRIES):
            try:
                reply = self._exchange(submission)
            except TimeoutError as error:
                submission, reply = replace(submission, message=str(error)), {}
                self._process.kill()
            if "results" in reply:
                results = SubmissionResult.from_json(reply["results"])
                return Reply(results, extras=reply.get("extras"))
            fault = reply.get("fault", "") or f"A grader process ended (status {self._process.wait()})."
            with self._lock:
                if self._is_ended:
                    break
                self._process.close()
                self._process, self._is_ready = self._start(), False
        return Reply(fault=fault)

    def _exchange(self, submission: Submission) -> dict[str, Any]:
        """What the process replies; empty where it ended. Raises TimeoutError, a sentence for the student."""
        process = self._process
        try:
            if not self._is_ready:
                self._is_ready = bool(process.stdout.readline())  # starting it counts for no submission
            pickle.dump(submission, process.stdin)
            process.stdin.flush()
            poll, seconds = select.poll(), seconds_for(submission, self._settings)
            poll.register(process.stdout, select.POLLIN)
            if not poll.poll(1000 * seconds):
                raise TimeoutError(
                    f"Grading was stopped after {round(seconds, 1):g} seconds, the most that a submission may take. "
                    "Does a function return something very large, or is the file very long?"
                )
            line = process.stdout.readline()
        except (BrokenPipeError, ValueError):
            line = b""
        found: dict[str, Any] = json.loads(line) if line.endswith(b"\n") else {}
        return found

    def end(self) -> None:
        """End the process, which does not start again."""
        with self._lock:
            self._is_ended = True
            self._process.kill()
        if self._own_nursery is not None:  # it may still be loading torch, and not hear of it
            self._own_nursery.close(at_once=True)
        self._process.wait()
        self._process.close()


def seconds_for(submission: Submission, settings: Settings) -> float:
    """How long grading may take, with all that is done in a grader process."""
    limits = Limits(**settings.limits)
    # for the file's workers, and for its changed versions
    waits = WALL_FACTOR * (limits.import_seconds + 2 * limits.total_seconds)
    return max(1, len(submission.lessons)) * (waits + LESSON_SECONDS)


def ignore_start(student: str) -> None:
    pass


class GraderPool:
    """Grader processes, each with a thread that gives it one submission after another.

    It closes the `nursery`, which may have been started earlier. `on_start` is called with each student as grading
    begins, from any thread.

    Attributes:
        room: how many more submissions it takes before graders have enough to do.
        students: those whose submissions have no reply yet.
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
        self._done: queue.SimpleQueue[tuple[Submission, Reply]] = queue.SimpleQueue()
        self._is_closed = False
        self.room, self.students = AHEAD * jobs, Counter[str]()
        self._graders: list[GraderProcess] = []
        self._threads: list[threading.Thread] = []
        try:
            for _ in range(max(1, jobs)):
                self._graders.append(GraderProcess(settings, self._nursery))
                self._threads.append(threading.Thread(target=self._work, args=(self._graders[-1],), daemon=True))
                self._threads[-1].start()
        except BaseException:
            self.close()
            raise

    def submit(self, submission: Submission) -> None:
        """Have a submission graded."""
        self.students[submission.student] += 1
        self.room -= 1
        self._waiting.put(submission)

    def replies(self, seconds: float = SIGNAL_SECONDS) -> Iterator[tuple[Submission, Reply]]:
        """What is graded by now; where there is none, wait so many seconds for the first."""
        with contextlib.suppress(queue.Empty):
            yield self._received(self._done.get(timeout=seconds))
            while True:
                yield self._received(self._done.get_nowait())

    def _received(self, entry: tuple[Submission, Reply]) -> tuple[Submission, Reply]:
        self.students -= Counter([entry[0].student])
        self.room += 1
        return entry

    def _work(self, grader: GraderProcess) -> None:
        while (submission := self._waiting.get()) is not None and not self._is_closed:
            try:
                self._on_start(submission.student)
                reply = grader.grade(submission)
            except Exception as error:  # report this fault, and grade the others
                reply = Reply(fault=f"{type(error).__name__}: {error}")
            if not self._is_closed:
                self._done.put((submission, reply))

    def close(self) -> None:
        """End the grader processes, also those that are grading. Replies that arrived can still be taken."""
        self._is_closed = True
        for grader in self._graders:
            self._waiting.put(None)
            grader.end()
        self._nursery.close(at_once=True)
        for thread in self._threads:  # one that still reads when Python ends aborts the process
            thread.join(JOIN_SECONDS)


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
    first, then the KeyboardInterrupt.
    """
    pool = GraderPool(settings, jobs, on_start, nursery)
    with contextlib.closing(pool):
        try:
            yield from grade(pool, submissions)
        except KeyboardInterrupt:
            pool.close()
            yield from pool.replies(0)
            raise
