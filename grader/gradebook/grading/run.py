"""`grade run`: from submissions to verdicts on disk; what was graded before and has not changed is left as it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic as clock

from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.in_force import not_yet_made
from grader.gradebook.current import graded_lessons
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import OutputError, lock_output, remove_report
from grader.gradebook.grading.graded import Publisher, RunListener, fault_results
from grader.gradebook.grading.grader_processes import IDLE_SECONDS, GraderPool, Pool, Replies, Reply, grade_all
from grader.gradebook.grading.outcome import Moves, RunOutcome, apply_unless_scores_move
from grader.gradebook.grading.settings import Conditions, Settings, other_results, run_entries, seed_policy
from grader.gradebook.grading.stop import Stop, stop_at_signals
from grader.gradebook.grading.views import ROSTER_ENTRY, Views, reported_in
from grader.gradebook.people import JoinedPeople, join_people
from grader.gradebook.records import Decision
from grader.gradebook.store import StoredVerdict
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.inbox import Inbox
from grader.intake.submissions.roster import Roster
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.results import SubmissionResult
from grader.sandbox.isolation.probe import at_least
from grader.sandbox.workers.nursery import Nursery
from grader.typed_json import to_json

SCORES_ENTRY = "scores"
"""Name under which a run keeps {student: score, or None where there is none} for the next one."""
LOOK_PAUSE = 3
"""A folder is read again only after so many times as long as the last look took: graders need the processor."""
PUBLISH_SECONDS = 5.0
"""The class's pages are written this often while results come, and as soon as none is due."""


@dataclass(kw_only=True)
class GradingRun:
    """One run over a gradebook: keeps results that are current, has the rest graded, and writes OUT as results arrive.

    Attributes:
        found: the submissions. Each is read when a grader is free, and before that if the student is in the gradebook.
        lessons: those of the `course` that count.
        settings: what grader processes need to know; `out` is OUT.
        publisher: writes the pages.
        live: is called as the run progresses.
        jobs: grader processes, unless `cluster` is the address of a Dask scheduler, whose workers grade.
        nursery: one that was started already.
        assignment: as its file says, or the gradebook's; `assignment_file` if a file was given.
        decisions: they are added to the gradebook where they are not in force.
        roster: the class's, which the gradebook keeps for later runs.
        fresh: grade everything again.
        only_these: the class's pages show the students of this run only.
        inbox: a folder, in place of `found`: grade what appears there until a signal comes.
        outcome: what has come of the run so far.
    """

    found: FoundSubmissions
    lessons: Sequence[Lesson]
    course: Course
    settings: Settings
    publisher: Publisher
    live: RunListener
    jobs: int = 1
    cluster: str | None = None
    nursery: Nursery | None = None
    assignment: Assignment | None = None
    assignment_file: Path | None = None
    decisions: Sequence[Decision] = ()
    roster: Roster | None = None
    fresh: bool = False
    only_these: bool = False
    inbox: Inbox | None = None
    outcome: RunOutcome = field(default_factory=RunOutcome, init=False)
    _gradebook: Gradebook = field(init=False)  # open while it runs
    _views: Views = field(init=False)
    _scores_before: dict[str, float | None] = field(init=False)
    _present: set[str] = field(default_factory=set, init=False)  # students of this run who have results
    _busy: set[str] = field(default_factory=set, init=False)  # students whose submissions have no reply yet
    _unpublished: set[str] = field(default_factory=set, init=False)  # students whose results no class page shows yet

    def __post_init__(self) -> None:
        self._out, self._conditions = Path(self.settings.out), Conditions.of(self.lessons, self.settings)

    def run(self) -> RunOutcome:
        """A signal to stop leaves everything finished on disk. Raises OutputError, and with a cluster ClusterError."""
        with (
            lock_output(self._out),
            stop_at_signals() as stop,
            closing(Gradebook(self._out / GRADEBOOK)) as self._gradebook,
        ):
            self._views = Views(self._out, self._gradebook, self.publisher)
            joined = self._begin()
            try:
                self._store(self._replies(stop))
                self.outcome.stopped = bool(self._busy) or (self.inbox is not None and self.inbox.waiting() > 0)
            finally:
                if self._present:
                    students = self._gradebook.students()
                    self.outcome.joined += [joined.questions[name] for name in students if name in joined.questions]
                    self._publish()
        return self.outcome

    def _begin(self) -> JoinedPeople:
        """Refuse another run's OUT; else store what this run says about the class."""
        book, seed = self._gradebook, seed_policy(self.settings)
        if reason := other_results(book, self.course, seed, self.assignment):
            raise OutputError(f"{self._out} {reason}. Nothing was written. Give another folder with -o.")
        book.describe(run_entries(self.course, self.lessons, seed, self.assignment_file))
        if self.assignment is not None:
            self.outcome.unapplied = apply_unless_scores_move(self.assignment, book)
        book.decide(not_yet_made(self.decisions, book.decisions()))
        self._scores_before = json.loads(book.kept(SCORES_ENTRY) or "{}")
        joined = join_people(book, self.found, self.roster)
        self._renamed(joined.names)
        self.outcome.joined += joined.sentences
        if self.roster is not None:
            book.keep(ROSTER_ENTRY, json.dumps(to_json(self.roster)))
        self._views.keep_class(self.found.attendance, self.settings.left_out)
        return joined

    def _renamed(self, names: Mapping[str, str]) -> None:
        """Go on with the new names that students have in the gradebook, {name: the new one}."""
        self._scores_before = {names.get(name, name): score for name, score in self._scores_before.items()}
        for name in names:
            remove_report(self._out / name)  # two folders would disagree after the next decision

    # What is due ------------------------------------------------------------------------------------------------------

    def _replies(self, stop: Stop) -> Replies:
        """The replies to all submissions that are due."""
        if self.inbox is not None:
            here = partial(GraderPool, self.settings, self.jobs, self.nursery)
            return grade_all(self._arriving(self.inbox), here, self.live.started, stop)
        known = {*self._gradebook.students()}
        due = [
            arrival
            for arrival in self.found.arrivals
            if known.isdisjoint((arrival.student, *self.found.other_names.get(arrival.student, ())))
            or self._is_due(self.found.read_arrival(arrival), self.fresh)
        ]
        self.live.planned(len(due), len(self._present))
        self._busy = {arrival.student for arrival in due}
        if not due:
            return iter(())
        make_pool: Callable[[], Pool] = partial(GraderPool, self.settings, min(self.jobs, len(due)), self.nursery)
        if self.cluster is not None:
            from grader.gradebook.grading.cluster import ClusterPool  # with Dask, which is an extra

            make_pool = partial(ClusterPool, self.settings, self.cluster)
        return grade_all(map(self.found.read_arrival, due), make_pool, self.live.started, stop)

    def _arriving(self, inbox: Inbox) -> Iterator[Submission | None]:
        """What appears in an inbox and is due; None while nothing is. The class's pages are kept up to date."""
        seen = set[tuple[str, str]]()  # with `fresh`, what was there before this run does not count
        due = 0
        next_look = published_at = clock()
        while True:
            if (began := clock()) >= next_look:
                inbox.look()
                self.found = inbox.found
                next_look = clock() + max(IDLE_SECONDS, LOOK_PAUSE * (clock() - began))
            for submission in inbox.arrived(self._busy):
                content = submission.student, submission.sha256
                if self._is_due(submission, self.fresh and content not in seen):
                    due += 1
                    self._busy.add(submission.student)
                    yield submission
                else:
                    self._unpublished.add(submission.student)
                seen.add(content)
                if clock() >= next_look:
                    break
            self.live.planned(due + inbox.waiting(), 0)
            yield None
            is_all_graded = not self._busy and not inbox.waiting()
            if self._unpublished and (is_all_graded or clock() >= published_at + PUBLISH_SECONDS):
                students, self._unpublished = self._unpublished, set()
                self._views.keep_class(inbox.found.attendance, self.settings.left_out)
                self._publish()
                inbox.published(students)
                published_at = clock()

    def _is_due(self, submission: Submission, fresh: bool) -> bool:
        """Whether a submission has to be graded, with `fresh` always; else an earlier run's results are current.

        What a run without a roster, or with another one, graded of this very submission becomes the student's, but not
        what is another student's of this run: a group submits once.
        """
        student, book, key = submission.student, self._gradebook, self._conditions.key(submission)
        for name in self.found.other_names.get(student, ()):
            is_present = any(arrival.student == name for arrival in self.found.arrivals)
            if not is_present and book.has_submission(name, submission.sha256):
                book.rename({name: student})
                self._renamed({name: student})
                self.outcome.joined.append(
                    f"{name} is {student} (the same submission): attempts and decisions are now under this name."
                )
        attempts = list(book.attempts(student))  # the newest first
        place = next((at for at, each in enumerate(attempts) if each.key == key), None)
        if place is None or fresh:
            return True
        try:
            *newer, results = (each.results for each in attempts[: place + 1])
        except Exception:  # a fault of the grader: it is graded again
            return True
        is_replaced = any(graded_lessons(results) & graded_lessons(each) for each in newer)
        if is_replaced or not at_least(results.isolation, self.settings.require):
            return True
        if submission.time_source and submission.submitted is not None:
            book.set_time(attempts[place].id, submission.submitted, submission.time_source, submission.platform)
        current = book.current_of(student)
        if reported_in(self._out / student) != current:
            book.mark_stale([student])
        self._present.add(student)
        return False

    # What has come --------------------------------------------------------------------------------------------------

    def _store(self, replies: Replies) -> None:
        """Add results to the gradebook as they arrive."""
        for submission, reply in replies:
            results = self._add(submission, reply)
            self._busy.discard(submission.student)
            self._unpublished.add(submission.student)
            self._present.add(submission.student)
            self.live.result(results)

    def _add(self, submission: Submission, reply: Reply) -> SubmissionResult:
        """Store an attempt and write the student's report; returns their current results."""
        student, settings, results = submission.student, self.settings, reply.results
        # a file that changed between two readings has no key: it will be graded again
        is_sound = results is not None and results.submission_sha256 == submission.sha256
        if results is None:
            self.outcome.reasons[student] = reply.fault
            results = fault_results(submission, self.lessons, settings.seed, reply.fault, settings.left_out)
        elif is_sound:
            self.outcome.reasons.pop(student, None)
        key = self._conditions.key(submission) if is_sound else ""
        self._gradebook.add(StoredVerdict(key, results, self._conditions, reply.extras), submission, stale=True)
        current = self._gradebook.current_of(student)
        self._views.write_student(student, current)
        return current

    def _publish(self) -> None:
        """Write the class's pages, from the gradebook's current results. Raises OutputError."""
        self._views.write_stale()
        everybody = self._views.write_class(self.course.lessons.values(), self._present, self.only_these)
        scores = {each.student: each.score_or_none for each in everybody}
        self.outcome.results = [each for each in everybody if each.student in self._present]
        self.outcome.class_size, self.outcome.plain = len(scores), self._views.plain
        self.outcome.reasons |= self._gradebook.unread
        if self._scores_before:
            self.outcome.moves = Moves.between(self._scores_before, scores, self._present)
        self._gradebook.keep(SCORES_ENTRY, json.dumps(scores))
