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
    """A folder that is followed, and what is done besides grading. `found` are the submissions as last found."""

    found: FoundSubmissions

    def look(self) -> None:
        """See what has changed in the folder."""

    def arrived(self, pool: GraderPool) -> Iterator[Submission]:
        """Submissions that are complete and new or changed, as long as the pool has room for them.

        None is of a student whose earlier submission is being graded.
        """

    def waiting(self) -> int:
        """How many complete submissions `arrived` has not given yet."""

    def published(self, students: Collection[str]) -> None:
        """Is called after the class's pages were written; these students' results are new since the last time."""


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
        self.present: set[str] = set()
        self._total, self.unfinished = 0, 0
        self._unpublished: set[str] = set()

    def replies(self, pool: GraderPool) -> Replies:
        """Give the pool whatever appears, and yield its replies, until it is interrupted."""
        next_look = published_at = self._clock()
        while True:
            if self._clock() >= next_look:
                began = self._clock()
                self._inbox.look()
                next_look = self._clock() + max(POLL_SECONDS, POLL_PAUSE * (self._clock() - began))
            self._submit_new(pool)
            for submission, reply in pool.replies(POLL_SECONDS):
                self._unpublished.add(submission.student)
                self.unfinished -= 1
                yield submission, reply
            if self._unpublished and (not self.unfinished or self._clock() >= published_at + PUBLISH_SECONDS):
                students, self._unpublished = self._unpublished, set()
                self._publish_class(self.present)
                self._inbox.published(students)
                published_at = self._clock()

    def _submit_new(self, pool: GraderPool) -> None:
        for submission in self._inbox.arrived(pool):
            self.present.add(submission.student)
            if self._is_due(submission):
                self._total += 1
                pool.submit(submission)
            else:
                self._unpublished.add(submission.student)
        self.unfinished = len(pool.students) + self._inbox.waiting()
        self._planned(self._total + self._inbox.waiting(), 0)
