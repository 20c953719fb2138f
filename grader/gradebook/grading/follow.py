"""`grade run --follow`: submissions are graded as they appear, and the class's pages follow them in batches."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from math import inf
from typing import NamedTuple, Protocol

from grader.gradebook.grading.graded import RunListener
from grader.gradebook.grading.stop import Stop
from grader.intake.submissions.appearing import Appearing, FolderState
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.submission import Submission
from grader.results import SubmissionResult


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


POLL_SECONDS = 0.5
POLL_PAUSE, PUBLISH_PAUSE = 10, 20
"""While submissions wait for a grader, the folder is read again only after so many times as long as the last look
took, and so with the class's pages: the graders need the processor."""
IDLE_PAUSE = 3
"""The same for pages when no submission is due: the next ones should be found soon."""
PUBLISH_SECONDS = 5.0
"""The class's pages are written this often while results come, and as soon as none is due."""
AHEAD = 64
"""Submissions that are read ahead for each grader process: it goes on while the class's pages are written."""


class Inbox(Protocol):
    """A folder that is followed, and what is done besides grading.

    Attributes:
        appearing: its entries.
        found: the submissions as they were last found.
    """

    appearing: Appearing
    found: FoundSubmissions

    def find(self) -> FoundSubmissions:
        """The submissions that are there now; sets `found`."""

    def published(self, students: Collection[str]) -> None:
        """Is called after the class's pages were written; these students' results are new since the last time."""

    def warn(self, sentence: str) -> None:
        """Tell the person at the terminal."""


class TimeSpan(NamedTuple):
    """When something began and ended, on the inbox's clock."""

    began: float = -inf
    ended: float = -inf

    @property
    def seconds(self) -> float:
        return self.ended - self.began if self.ended > -inf else 0.0


class Following:
    """Finds what has appeared, gives it to graders through `feed`, and publishes the results.

    It is the run's listener, and passes on to `live` what it hears.
    """

    def __init__(
        self,
        inbox: Inbox,
        is_due: Callable[[Submission], bool],
        publish_class: Callable[[Collection[str]], None],
        jobs: int,
        live: RunListener,
        stop: Stop,
    ) -> None:
        """`publish_class` writes the class's pages; it gets the students of whom something is in the folder."""
        self._inbox, self._is_due, self._publish_class = inbox, is_due, publish_class
        self._jobs, self._live, self._stop, self._clock = jobs, live, stop, inbox.appearing.clock
        self.feed = Feed(self.tick)
        self._waiting: deque[tuple[Arrival, Mapping[str, FolderState], FoundSubmissions]] = deque()
        self._considered: dict[str, Mapping[str, FolderState]] = {}  # by student
        self._complete: dict[str, FolderState] | None = None
        self._present: set[str] = set()
        self._in_flight: set[str] = set()
        self._unpublished: set[str] = set()
        self._total = self._planned = 0  # submissions given to graders; those that were announced to `live`
        self._look, self._publication, self._warned = TimeSpan(), TimeSpan(), ""

    @property
    def unfinished(self) -> int:
        """How many complete submissions have no result yet."""
        return len(self._waiting) + len(self._in_flight)

    def planned(self, due: int, kept: int) -> None:
        self._live.planned(due, kept)

    def started(self, student: str) -> None:
        self._live.started(student)

    def result(self, results: SubmissionResult) -> None:
        self._in_flight.discard(results.student)
        self._unpublished.add(results.student)
        self._live.result(results)

    def tick(self) -> float:
        with self._stop.postpone():
            if self._clock() >= self._next_look:
                started = self._clock()
                self._poll()
                self._look = TimeSpan(started, self._clock())
            self._fill()
            if self._planned != self._total + len(self._waiting):
                self._planned = self._total + len(self._waiting)
                self.planned(self._planned, 0)
            if self._unpublished and self._clock() >= self._next_publication:
                started = self._clock()
                self._publish()
                self._publication = TimeSpan(started, self._clock())
        return max(0.0, min(POLL_SECONDS, self._next_look - self._clock()))

    @property
    def _next_look(self) -> float:
        """Where nothing waits, graders run out of work: looking costs nobody anything."""
        return self._look.ended + max(POLL_SECONDS, POLL_PAUSE * self._look.seconds if self._waiting else 0.0)

    @property
    def _next_publication(self) -> float:
        if not self.unfinished:
            return self._publication.ended + IDLE_PAUSE * self._publication.seconds
        return self._publication.ended + max(PUBLISH_SECONDS, PUBLISH_PAUSE * self._publication.seconds)

    def _poll(self) -> None:
        appearing = self._inbox.appearing
        try:
            appearing.look()
        except OSError as error:  # a file server may come back
            self._warn(f"{appearing.folder} cannot be read ({error.strerror}): waiting for it.")
            return
        complete = appearing.complete()
        if complete == self._complete:
            return
        self._complete = complete
        found = self._inbox.find()
        queued = {arrival.student: place for place, (arrival, *_) in enumerate(self._waiting)}
        for arrival in found.arrivals:
            states = states_of(arrival, appearing, complete)
            if states is None or self._considered.get(arrival.student) == states:
                continue
            self._considered[arrival.student] = states
            if arrival.student in queued:
                self._waiting[queued[arrival.student]] = arrival, states, found
            else:
                self._waiting.append((arrival, states, found))

    def _fill(self) -> None:
        """Read submissions ahead; one of a student whose earlier one is being graded waits until that has a result."""
        end = self._clock() + POLL_SECONDS  # thousands may have results from an earlier run
        for _ in range(len(self._waiting)):
            if self.feed.size >= AHEAD * self._jobs or self._clock() > end:
                return
            arrival, states, found = self._waiting.popleft()
            if arrival.student in self._in_flight:
                self._waiting.append((arrival, states, found))
                continue
            submission = found.read_arrival(arrival)
            if not all(self._inbox.appearing.is_unchanged(name, state) for name, state in states.items()):
                self._considered.pop(arrival.student, None)  # it is being replaced: wait until it is complete again
                self._complete = None
                continue
            self._present.add(arrival.student)
            if not self._is_due(submission):
                self._unpublished.add(arrival.student)
                continue
            self._in_flight.add(arrival.student)
            self._total += 1
            self.feed.put(submission)

    def _publish(self) -> None:
        students, self._unpublished = self._unpublished, set()
        self._publish_class(self._present)
        self._inbox.published(students)

    def _warn(self, sentence: str) -> None:
        if sentence != self._warned:
            self._warned = sentence
            self._inbox.warn(sentence)


def states_of(
    arrival: Arrival, appearing: Appearing, complete: Mapping[str, FolderState]
) -> dict[str, FolderState] | None:
    """{entry: state} of the folder's entries that an arrival was found in; None where one is not complete yet.

    An arrival that is nowhere in the folder, because it was unpacked or is the folder itself, needs all entries.
    """
    root = appearing.folder.resolve()
    places = [place for place in (arrival.path, *arrival.sources) if place.is_relative_to(root) and place != root]
    names = {place.relative_to(root).parts[0] for place in places} or appearing.names
    return {name: complete[name] for name in names} if names <= complete.keys() else None
