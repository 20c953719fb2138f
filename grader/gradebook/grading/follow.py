"""`grade run --follow`: submissions are graded as they appear in a folder, by graders that stay warm."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from typing import Protocol

from grader.gradebook.grading.grader_processes import GraderPool, Replies
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.submission import Submission

POLL_SECONDS = 0.5
POLL_PAUSE = 3
"""The folder is read again only after so many times as long as the last look took: graders need the processor."""
PUBLISH_SECONDS = 5.0
"""The class's pages are written this often while results come, and as soon as none is due."""


class Inbox(Protocol):
    """A folder that is followed. `found` are the submissions as last found.

    `look` sees what has changed. `arrived` gives complete submissions that are new or changed, as long as the pool has
    room for them, none of a student whose earlier submission is being graded; `waiting` counts those that it has not
    given yet. `published` is called after the class's pages were written, with whose results are new since then.
    """

    found: FoundSubmissions

    def look(self) -> None: ...

    def arrived(self, pool: GraderPool) -> Iterator[Submission]: ...

    def waiting(self) -> int: ...

    def published(self, students: Collection[str]) -> None: ...


class Following:
    """Gives a pool what appears in an inbox, and has the class's pages written.

    Attributes:
        present: the students of whom something is in the folder.
        unfinished: how many complete submissions have no result yet.
    """

    def __init__(
        self,
        inbox: Inbox,
        is_due: Callable[[Submission], bool],
        publish_class: Callable[[Collection[str]], None],
        planned: Callable[[int, int], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`publish_class` gets the students who are present; `planned` gets how many submissions there are so far."""
        self._inbox, self._is_due, self._publish_class = inbox, is_due, publish_class
        self._planned, self._clock = planned, clock
        self.present, self._unpublished = set[str](), set[str]()
        self._total, self.unfinished = 0, 0

    def replies(self, pool: GraderPool) -> Replies:
        """Give the pool whatever appears, and yield its replies, until it is interrupted."""
        next_look = published_at = self._clock()
        while True:
            if (began := self._clock()) >= next_look:
                self._inbox.look()
                next_look = self._clock() + max(POLL_SECONDS, POLL_PAUSE * (self._clock() - began))
            for submission in self._inbox.arrived(pool):
                self.present.add(submission.student)
                if self._is_due(submission):
                    self._total += 1
                    pool.submit(submission)
                else:
                    self._unpublished.add(submission.student)
            self.unfinished = len(pool.students) + self._inbox.waiting()
            self._planned(self._total + self._inbox.waiting(), 0)
            for submission, reply in pool.replies(POLL_SECONDS):
                self._unpublished.add(submission.student)
                self.unfinished -= 1
                yield submission, reply
            if self._unpublished and (not self.unfinished or self._clock() >= published_at + PUBLISH_SECONDS):
                students, self._unpublished = self._unpublished, set()
                self._publish_class(self.present)
                self._inbox.published(students)
                published_at = self._clock()
