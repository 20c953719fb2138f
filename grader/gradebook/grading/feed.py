"""Submissions that come while graders run, for batch.grade_all."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator

from grader.intake.submissions.submission import Submission


class Feed(Iterator[Submission]):
    """Graders wait in `next`, each in its own thread, until there is a submission or the feed is closed.

    `tick` is called between two results, in the thread that takes them; it returns in how many seconds it wants to be
    called again.
    """

    def __init__(self, tick: Callable[[], float]) -> None:
        self.tick = tick
        self._waiting: queue.SimpleQueue[Submission | None] = queue.SimpleQueue()

    def put(self, submission: Submission) -> None:
        self._waiting.put(submission)

    @property
    def size(self) -> int:
        """How many submissions no grader has taken yet."""
        return self._waiting.qsize()

    def __next__(self) -> Submission:
        submission = self._waiting.get()
        if submission is None:
            self.close()  # for the next thread
            raise StopIteration
        return submission

    def close(self) -> None:
        self._waiting.put(None)
