"""`grade run`: from submissions to verdicts on disk; what was graded before and has not changed is left as it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from grader.gradebook.class_results import ClassResults
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import only_run, unwritable, write_whole
from grader.gradebook.grading.batch import grade_all
from grader.gradebook.grading.belonging import Belonging
from grader.gradebook.grading.earlier_reports import are_current, make_room, take_back
from grader.gradebook.grading.graded import environment
from grader.gradebook.grading.keys import conditions, key
from grader.gradebook.grading.publisher import Publisher
from grader.gradebook.grading.settings import Settings
from grader.gradebook.grading.stop import Stop, stopping_at_signals
from grader.intake.submissions.roster import Attendance
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson
from grader.results import NotGraded, SubmissionResult, number
from grader.sandbox.isolation.probe import at_least
from grader.sandbox.workers.forked import Nursery


class Live(Protocol):
    """Who is told how a run goes on. `started` may be called from any thread."""

    def planned(self, due: int, kept: int) -> None: ...

    def started(self, student: str) -> None: ...

    def result(self, results: SubmissionResult) -> None: ...


@dataclass
class Outcome:
    """`results` are those of this run, in order of name: `kept` of them from earlier runs.

    `reasons` are {student: why nothing could be graded, a reason of ours}; `class_size` counts everybody in the book.
    """

    results: ClassResults = field(default_factory=ClassResults)
    reasons: dict[str, str] = field(default_factory=dict)
    class_size: int = 0
    kept: int = 0
    stopped: bool = False

    @property
    def faults(self) -> int:
        return len(self.reasons)

    def below(self, percent: float) -> list[str]:
        return [each.student for each in self.results if 100 * each.score < percent * each.max_score]


def fault_results(
    submission: Submission, lessons: Sequence[Lesson], seed: int, fault: str, left_out: Sequence[str] = ()
) -> SubmissionResult:
    """The results of a submission that could not be graded for a reason of ours."""
    return SubmissionResult(
        student=submission.student,
        submission_sha256=submission.sha256,
        max_score=number(sum(lesson.max_score for lesson in lessons)),
        status="error",
        message=f"It could not be graded, for a reason that is not the student's: {fault}",
        seed=seed,
        environment=environment(),
        not_graded=[NotGraded(lesson.name, number(lesson.max_score)) for lesson in lessons],
        left_out=list(left_out),
    )


def grade_run(
    submissions: Sequence[Submission],
    lessons: Sequence[Lesson],
    settings: Settings,
    jobs: int,
    live: Live,
    publisher: Publisher,
    *,
    fresh: bool = False,
    cluster: str | None = None,
    attendance: Attendance | None = None,
    nursery: Nursery | None = None,
    belonging: Belonging | None = None,
    only_these: bool = False,
    other_names: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Outcome:
    """Grades what is new or changed (with `fresh` all) and writes OUT as results arrive.

    By `jobs` processes here, or by the workers of the Dask scheduler at `cluster`; they write the students' pages.
    `publisher` writes the class's, and those that say that an earlier result no longer counts. A signal to stop leaves
    everything finished on disk. `submissions` are read as they are needed, twice where there was an earlier run. A
    `nursery` may have been started already. Raises OutputError, and with a cluster cluster.ClusterError.
    """
    out = Path(settings.out)
    with only_run(out), stopping_at_signals() as stop:
        gradebook = Gradebook(out / GRADEBOOK)
        outcome = Outcome()
        course = lessons if belonging is None else [*belonging.course.lessons.values()]
        try:
            if belonging is not None:
                belonging.check(out, gradebook, submissions, lessons, fresh)
                gradebook.describe(belonging.entries(lessons))
            run = Run(gradebook, lessons, settings, outcome, publisher)
            due = list(range(len(submissions))) if fresh else run.keep_what_stands(submissions)
            outcome.kept = len(outcome.results)
            live.planned(len(due), outcome.kept)
            if due:
                run.grade(submissions, due, min(jobs, len(due)), live, stop, cluster, nursery)
        finally:
            try:
                if outcome.results:
                    present = {result.student for result in outcome.results}
                    for student in present & other_names.keys():
                        gradebook.rename(student, set(other_names[student]) - present)
                    run.publish(course, attendance, only_these, present)
            finally:
                gradebook.close()
    return outcome


class Run:
    """One run over a gradebook: what stands from before, and what is graded now."""

    def __init__(
        self,
        gradebook: Gradebook,
        lessons: Sequence[Lesson],
        settings: Settings,
        outcome: Outcome,
        publisher: Publisher,
    ) -> None:
        self._gradebook, self._lessons, self._settings, self._outcome = gradebook, lessons, settings, outcome
        self._publisher, self._out = publisher, Path(settings.out)
        self._conditions = conditions(lessons, settings)

    def keep_what_stands(self, submissions: Sequence[Submission]) -> list[int]:
        """Adds the results that stand from an earlier run; gives the places of the submissions that are due."""
        known = {(student, key): attempt for student, key, attempt in self._gradebook.attempts() if key}
        if not known:
            return list(range(len(submissions)))
        latest = {student: attempt for student, _, attempt in self._gradebook.attempts()}
        due = []
        for place, submission in enumerate(submissions):
            attempt = known.get((submission.student, key(self._conditions, submission)))
            results = None if attempt is None else self._gradebook.results(attempt)
            if attempt is None or results is None or not self._stands(results, attempt, latest[submission.student]):
                due.append(place)
            else:
                self._outcome.results.add(results)
        return due

    def _stands(self, results: SubmissionResult, attempt: int, latest: int) -> bool:
        """Whether the results are current, and were reached with enough isolation."""
        later = self._gradebook.attempts_of(results.student, after=attempt) if attempt != latest else []
        return are_current(results, self._out / results.student, later, attempt == latest) and at_least(
            results.isolation, self._settings.require
        )

    def grade(
        self,
        submissions: Sequence[Submission],
        due: Sequence[int],
        jobs: int,
        live: Live,
        stop: Stop,
        cluster: str | None = None,
        nursery: Nursery | None = None,
    ) -> None:
        """Adds results to the gradebook and the outcome as they arrive."""
        wanted = self._making_room(submissions, due)
        if cluster is None:
            replies = grade_all(wanted, self._settings, jobs, live.started, nursery)
        else:
            from grader.gradebook.grading.cluster import grade_on_cluster  # with Dask, which is an extra

            replies = grade_on_cluster(wanted, self._settings, cluster, live.started)
        settings = self._settings
        try:
            for submission, reply in stop.over(replies):
                results = reply.results
                # a file changed between two readings: the result is of what nobody has a key for
                sound = results is not None and results.submission_sha256 == submission.sha256
                if results is None:
                    self._outcome.reasons[submission.student] = reply.fault
                    results = fault_results(submission, self._lessons, settings.seed, reply.fault, settings.left_out)
                    take_back(self._out / submission.student, results, self._publisher)
                self._gradebook.add(key(self._conditions, submission) if sound else "", results)
                self._outcome.results.add(results)
                live.result(results)
        except KeyboardInterrupt:
            self._outcome.stopped = True

    def _making_room(self, submissions: Sequence[Submission], due: Sequence[int]) -> Iterator[Submission]:
        """The submissions that are due; before each, reports of lessons that keep their result move aside.

        Graders take from the iterator in their own threads, where the gradebook cannot be read.
        """
        known = {student for student, _, _ in self._gradebook.attempts()}
        return (self._with_room(submissions[place], known) for place in due)

    def _with_room(self, submission: Submission, known: Collection[str]) -> Submission:
        if submission.student in known:
            make_room(self._out / submission.student, submission, self._lessons, self._publisher)
        return submission

    def publish(
        self, course: Sequence[Lesson], attendance: Attendance | None, only_these: bool, present: Collection[str]
    ) -> None:
        """Write the class's pages, from the gradebook's current results. Raises OutputError."""
        everybody, names = ClassResults(), {lesson.name for lesson in self._lessons}
        found: set[str] = set()
        for result in self._gradebook.current():
            self._outcome.class_size += 1
            if not only_these:
                everybody.add(result)
                found |= {lesson.name for lesson in result.lessons}
        write_class(
            self._out,
            self._publisher,
            self._outcome.results if only_these else everybody,
            [lesson for lesson in course if lesson.name in found | names],
            attendance,
            [name for name in self._settings.left_out if name not in found],
            present,
        )


def write_class(
    out: Path,
    publisher: Publisher,
    results: Sequence[SubmissionResult],
    lessons: Sequence[Lesson],
    attendance: Attendance | None = None,
    left_out: Sequence[str] = (),
    present: Collection[str] | None = None,
) -> None:
    """Write the class's pages, see Publisher.class_pages. Raises OutputError."""
    try:
        for name, text in publisher.class_pages(results, lessons, attendance, left_out, present):
            write_whole(out / name, text)
    except OSError as error:
        raise unwritable(out, error) from error
