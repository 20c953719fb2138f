"""`grade run --follow`: submissions are graded as they appear in a folder, by graders that stay warm."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from time import monotonic as clock
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

    @property
    def found(self) -> FoundSubmissions: ...

    def look(self) -> None: ...

    def arrived(self, pool: GraderPool) -> Iterator[Submission]: ...

    def waiting(self) -> int: ...

    def published(self, students: Collection[str]) -> None: ...


def follow(
    pool: GraderPool,
    inbox: Inbox,
    is_due: Callable[[Submission], bool],
    publish_class: Callable[[Collection[str]], None],
    planned: Callable[[int, int], None],
) -> Replies:
    """Give the pool what appears in an inbox, and yield its replies, until this is interrupted.

    `publish_class` gets the students of whom something is in the folder; `planned` how many submissions there are so
    far.
    """
    present, unpublished, total = set[str](), set[str](), 0
    next_look = published_at = clock()
    while True:
        if (began := clock()) >= next_look:
            inbox.look()
            next_look = clock() + max(POLL_SECONDS, POLL_PAUSE * (clock() - began))
        for submission in inbox.arrived(pool):
            present.add(submission.student)
            if is_due(submission):
                total += 1
                pool.submit(submission)
            else:
                unpublished.add(submission.student)
        planned(total + inbox.waiting(), 0)
        for submission, reply in pool.replies(POLL_SECONDS):
            unpublished.add(submission.student)
            yield submission, reply
        is_all_graded = not pool.students and not inbox.waiting()
        if unpublished and (is_all_graded or clock() >= published_at + PUBLISH_SECONDS):
            students, unpublished = unpublished, set()
            publish_class(present)
            inbox.published(students)
            published_at = clock()
