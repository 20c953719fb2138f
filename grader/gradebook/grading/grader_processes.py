"""Grading of many submissions in several grader processes: each takes the next one, and results come as they arrive."""

from __future__ import annotations

import contextlib
import gc
import json
import pickle
import queue
import select
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol

from grader.errors import UserError
from grader.gradebook.grading.settings import GRADER_PROGRAM, START_GRADER_CODE, Settings
from grader.gradebook.grading.stop import Stop
from grader.intake.submissions.submission import Submission
from grader.results import SubmissionResult
from grader.sandbox.workers.fork_server import ServerEnded
from grader.sandbox.workers.nursery import ForkedProcess, Nursery
from grader.sandbox.workers.waiting import WALL_FACTOR

MAX_GRADING_TRIES = 2
SIGNAL_SECONDS = 1.0
"""How long to wait for a reply before looking whether a signal has come."""
IDLE_SECONDS = 0.5
"""How long to wait for a reply while no submission is there that could be graded: a folder is looked at that often."""
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


Replies = Iterator[tuple[Submission, Reply]]


class GraderProcess:
    """One grader process, see server.py, started again when it ends. It and its zygote come from a nursery."""

    def __init__(self, settings: Settings, nursery: Nursery | None = None) -> None:
        """Without `nursery` it has one of its own, and so after the other has ended."""
        self._settings, self._nursery = settings, nursery or Nursery([GRADER_PROGRAM])
        self._own_nursery = None if nursery else self._nursery
        self._is_ended, self._lock = False, threading.Lock()
        self._process = self._start()
        self._first_reply: dict[str, Any] | None = None

    def _start(self) -> ForkedProcess:
        zygote = self._nursery.zygote()
        with zygote or contextlib.nullcontext(), contextlib.suppress(ServerEnded):
            text = self._settings.to_text()
            return self._nursery.program(START_GRADER_CODE, text, given=[zygote] if zygote else [])
        self._nursery = self._own_nursery = Nursery([GRADER_PROGRAM])
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
                self._process, self._first_reply = self._start(), None
        return Reply(fault=fault)

    def refusal(self) -> str:
        """Why it does not grade on this machine, or "": waits until it has started, which counts for no submission."""
        if self._first_reply is None:
            self._first_reply = self._read_reply() or {"fault": "a grader process ended as it started."}
        return str(self._first_reply.get("fault", ""))

    def _read_reply(self) -> dict[str, Any]:
        """What the process says next; empty where it ended."""
        line = self._process.stdout.readline()
        found: dict[str, Any] = json.loads(line) if line.endswith(b"\n") else {}
        return found

    def _exchange(self, submission: Submission) -> dict[str, Any]:
        """What the process replies; empty where it ended. Raises TimeoutError, a sentence for the student."""
        process = self._process
        try:
            if refusal := self.refusal():
                return {"fault": refusal}
            pickle.dump(submission, process.stdin)
            process.stdin.flush()
            poll, seconds = select.poll(), seconds_for(submission, self._settings)
            poll.register(process.stdout, select.POLLIN)
            if not poll.poll(1000 * seconds):
                raise TimeoutError(
                    f"Grading was stopped after {round(seconds, 1):g} seconds, the most that a submission may take. "
                    "Does a function return something very large, or is the file very long?"
                )
            return self._read_reply()
        except (BrokenPipeError, ValueError):
            return {}

    def end(self) -> None:
        """End the process, which does not start again."""
        with self._lock:
            self._is_ended = True
            self._process.kill()
        if self._own_nursery is not None:  # it may still be loading torch, and not hear of it
            self._own_nursery.close()
        self._process.wait()
        self._process.close()


def seconds_for(submission: Submission, settings: Settings) -> float:
    """How long grading may take, with all that is done in a grader process."""
    limits = settings.limits
    # for the file's workers, and for its changed versions
    waits = WALL_FACTOR * (limits.import_seconds + 2 * limits.total_seconds)
    return max(1, len(submission.lessons)) * (waits + LESSON_SECONDS)


class Pool(Protocol):
    """What grades `jobs` submissions at a time: grader processes here, or the workers of a cluster."""

    jobs: int
    is_closed: bool

    def grade(self, submission: Submission) -> Reply:
        """Grade one submission; may be called from any thread."""
        ...

    def close(self) -> None:
        """End all that grades, in the midst of its work."""
        ...


class GraderPool:
    """Grader processes, each of which grades one submission at a time. It closes the `nursery`."""

    def __init__(self, settings: Settings, jobs: int, nursery: Nursery | None = None) -> None:
        self._nursery, self.jobs, self.is_closed = nursery or Nursery([GRADER_PROGRAM]), jobs, False
        self._graders: list[GraderProcess] = []
        self._idle: queue.SimpleQueue[GraderProcess] = queue.SimpleQueue()
        try:
            for _ in range(jobs):
                self._graders.append(GraderProcess(settings, self._nursery))
                self._idle.put(self._graders[-1])
        except BaseException:
            self.close()
            raise

    def grade(self, submission: Submission) -> Reply:
        """The reply of the next grader process that is free; may be called from any thread."""
        grader = self._idle.get()
        try:
            return grader.grade(submission)
        finally:
            self._idle.put(grader)

    def refusal(self) -> str:
        """Why this machine must not grade, as the first grader process finds it; "" where it may."""
        return self._graders[0].refusal()

    def close(self) -> None:
        """End the grader processes, also those that are grading."""
        self.is_closed = True
        for grader in self._graders:
            grader.end()
        self._nursery.close()


def grade_all(
    submissions: Iterable[Submission | None],
    make_pool: Callable[[], Pool],
    on_start: Callable[[str], None],
    stop: Stop,
) -> Replies:
    """(submission, reply) in the order in which they finish. It makes the pool, and closes it.

    Submissions are read as graders become free; None says that the next one may take a while. `on_start` is called
    with each student as grading begins, from any thread. Leaving the loop early ends graders in the midst of their
    work, and so does a `stop`, after which what had finished still comes. Raises UserError where the pool is lost.
    """
    gc.set_threshold(100_000, 50, 100)  # results are many objects without cycles: looking for them takes its time
    done = queue.SimpleQueue[tuple[Submission, Reply | UserError]]()
    pool, open_ = make_pool(), 0  # submissions without a reply

    def grade(submission: Submission) -> None:
        try:
            on_start(submission.student)
            reply: Reply | UserError = pool.grade(submission)
        except UserError as error:
            reply = error
        except Exception as error:  # report this fault, and grade the others
            reply = Reply(fault=f"{type(error).__name__}: {error}")
        if not pool.is_closed:
            done.put((submission, reply))

    def replies(seconds: float = SIGNAL_SECONDS) -> Replies:
        """What is graded by now; where there is none, wait so many seconds for the first."""
        nonlocal open_
        with contextlib.suppress(queue.Empty):
            submission, reply = done.get(timeout=seconds)
            while True:
                if isinstance(reply, UserError):
                    raise reply
                open_ -= 1
                yield submission, reply
                submission, reply = done.get_nowait()

    with ThreadPoolExecutor(pool.jobs) as threads, contextlib.closing(pool):
        for submission in submissions:
            if stop.is_requested:
                break
            if submission is not None:
                open_ += 1
                threads.submit(grade, submission)
            yield from replies(IDLE_SECONDS if submission is None else 0)
            while open_ >= AHEAD * pool.jobs and not stop.is_requested:
                yield from replies()
        while open_ and not stop.is_requested:
            yield from replies()
        pool.close()
        yield from replies(0)
