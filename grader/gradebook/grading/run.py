"""`grade run`: from submissions to verdicts on disk; what was graded before and has not changed is left as it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from grader.gradebook.assignment.in_force import not_yet_made
from grader.gradebook.attempt_table import StoredVerdict
from grader.gradebook.class_results import ClassResults, Moves, score_or_none
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import lock_output, remove_report
from grader.gradebook.grading.follow import Feed, Following, Inbox
from grader.gradebook.grading.graded import Publisher, fault_results
from grader.gradebook.grading.graded import RunListener as RunListener
from grader.gradebook.grading.grader_processes import grade_all
from grader.gradebook.grading.keys import Conditions, conditions_key, result_key
from grader.gradebook.grading.outcome import RunOutcome
from grader.gradebook.grading.proposals import apply_unless_scores_move
from grader.gradebook.grading.settings import RunIdentity, Settings
from grader.gradebook.grading.stop import Stop, stop_at_signals
from grader.gradebook.grading.views import (
    Views,
    are_reported,
    is_superseded,
    move_earlier_report,
    reported_in,
    withdraw_report,
)
from grader.gradebook.people import join_people, questions_about_names
from grader.gradebook.records import Decision
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.roster import Roster
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson
from grader.results import SubmissionResult
from grader.sandbox.isolation.probe import at_least
from grader.sandbox.workers.forked import Nursery

SCORES_ENTRY = "scores"
"""Name under which a run keeps {student: score, or None where there is none} for the next one."""


def grade_run(
    submissions: Sequence[Submission],
    lessons: Sequence[Lesson],
    settings: Settings,
    jobs: int,
    live: RunListener,
    publisher: Publisher,
    *,
    fresh: bool = False,
    cluster: str | None = None,
    nursery: Nursery | None = None,
    identity: RunIdentity | None = None,
    only_these: bool = False,
    decisions: Sequence[Decision] = (),
    inbox: Inbox | None = None,
    roster: Roster | None = None,
    kept: Mapping[str, str] = MappingProxyType({}),
) -> RunOutcome:
    """Grades what is new or changed (with `fresh` all) and writes OUT as results arrive.

    By `jobs` processes here, or by the workers of the Dask scheduler at `cluster`; they write the students' pages.
    `publisher` writes the class's, and those that say that an earlier result no longer counts. A signal to stop leaves
    everything finished on disk. `submissions` are read as they are needed, twice where there was an earlier run; those
    that were found with a roster or with times (FoundSubmissions) bring these along. A `nursery` may have been started
    already. `decisions` that are not in force are added to the gradebook. With an `inbox`, it grades what appears there
    until a signal stops it. `roster` is the class's, and `kept` are texts that the gradebook keeps for later runs.

    Raises OutputError, and with a cluster cluster.ClusterError.
    """
    out = Path(settings.out)
    course = lessons if identity is None else [*identity.course.lessons.values()]
    outcome = RunOutcome()
    found = submissions if isinstance(submissions, FoundSubmissions) else FoundSubmissions(lessons)
    with lock_output(out), stop_at_signals() as stop, closing(Gradebook(out / GRADEBOOK)) as gradebook:
        if identity is not None:
            identity.check(out, gradebook, submissions, lessons, fresh)
            gradebook.describe(identity.entries(lessons))
            if identity.assignment is not None:
                outcome.unapplied = apply_unless_scores_move(identity.assignment, gradebook)
        gradebook.decisions.add(not_yet_made(decisions, gradebook.decisions.all()))
        outcome.joined += join_people(gradebook, found, roster)
        for name, text in kept.items():
            gradebook.keep(name, text)
        run = Run(gradebook, lessons, settings, outcome, publisher, course)
        run.views.keep_class(found.attendance, settings.left_out)
        try:
            if inbox is not None:
                publish = partial(run.publish, course, only_these)
                run.follow(inbox, jobs, live, stop, nursery, publish, fresh)
            else:
                due = list(range(len(submissions))) if fresh else run.keep_current(submissions)
                outcome.kept = len(outcome.results)
                live.planned(len(due), outcome.kept)
                if due:
                    waiting = (submissions[place] for place in due)
                    run.grade(waiting, min(jobs, len(due)), live, stop, cluster, nursery)
        finally:
            if outcome.results:
                present = {result.student for result in outcome.results}
                run.keep_times_and_names(present, found if inbox is None else inbox.found, roster)
                run.publish(course, only_these, present)
    return outcome


class Run:
    """One run over a gradebook: keeps results that are current, and grades the rest."""

    def __init__(
        self,
        gradebook: Gradebook,
        lessons: Sequence[Lesson],
        settings: Settings,
        outcome: RunOutcome,
        publisher: Publisher,
        course: Sequence[Lesson],
    ) -> None:
        self._gradebook, self._lessons, self._outcome = gradebook, lessons, outcome
        self._publisher, self._out = publisher, Path(settings.out)
        self._conditions, self._stored_conditions = conditions_key(lessons, settings), Conditions.of(lessons, settings)
        self.views = Views(self._out, gradebook, publisher, course)
        # reports with decisions, or under an assignment, show more than a grader process knows: they are written here
        shows_more = {*gradebook.decisions_by_student(), *gradebook.new_names().values()}
        has_assignment = gradebook.assignment() is not None
        self._settings = replace(settings, reports=not has_assignment, without_report=sorted(shows_more))
        self._scores_before: dict[str, float | None] = json.loads(gradebook.kept(SCORES_ENTRY) or "{}")
        attempts = list(gradebook.attempts())  # of earlier runs
        self._attempts = {(student, key): attempt for student, key, attempt in attempts if key}
        self._latest = {student: attempt for student, _, attempt in attempts}

    def keep_current(self, submissions: Sequence[Submission]) -> list[int]:
        """Add the results of earlier runs that are current; return the indices of those to be graded."""
        if not self._attempts:
            return list(range(len(submissions)))
        return [place for place, submission in enumerate(submissions) if self.is_due(submission)]

    def is_due(self, submission: Submission) -> bool:
        """Whether a submission has to be graded; else the results of an earlier run are added to the outcome."""
        student = submission.student
        attempt = self._attempts.get((student, result_key(self._conditions, submission)))
        results = None if attempt is None else self._gradebook.results_of(attempt)
        if attempt is None or results is None or not self._is_current(results, attempt, self._latest[student]):
            return True
        if submission.time_source and submission.submitted is not None:
            about = submission.submitted, submission.time_source, submission.platform
            self._gradebook.set_time(attempt, *about)
        self._outcome.results.add(self._shown(results))
        return False

    def _shown(self, results: SubmissionResult) -> SubmissionResult:
        """What the student's report shows: the verdicts on an attempt, or the current results with decisions."""
        student = results.student
        return results if self._settings.has_report(student) else self._gradebook.current_of(student)

    def _is_current(self, results: SubmissionResult, attempt: int, latest: int) -> bool:
        """Whether the results are current, and were reached with enough isolation."""
        student, folder = results.student, self._out / results.student
        later = self._gradebook.attempts_of(student, after=attempt) if attempt != latest else []
        if is_superseded(results, later) or not at_least(results.isolation, self._settings.require):
            return False
        if self._settings.has_report(student):
            return are_reported(results, folder, attempt == latest)
        if reported_in(folder) != self._gradebook.current_of(student):
            self._gradebook.mark_stale([student])
        return True

    def follow(
        self,
        inbox: Inbox,
        jobs: int,
        live: RunListener,
        stop: Stop,
        nursery: Nursery | None,
        publish: Callable[[Collection[str]], None],
        fresh: bool,
    ) -> None:
        """Grade what appears in the inbox until a signal stops it; `publish` writes the class's pages."""
        if fresh:
            self._attempts.clear()

        def is_due(submission: Submission) -> bool:
            return self.is_due(submission) and bool(self._move_earlier(submission))

        def publish_class(present: Collection[str]) -> None:
            self.views.keep_class(inbox.found.attendance, self._settings.left_out)
            publish(present)

        following = Following(inbox, is_due, publish_class, jobs, live, stop)
        try:
            self.grade(following.feed, jobs, following, stop, nursery=nursery)
        finally:
            self._outcome.stopped = following.unfinished > 0

    def grade(
        self,
        submissions: Iterable[Submission],
        jobs: int,
        live: RunListener,
        stop: Stop,
        cluster: str | None = None,
        nursery: Nursery | None = None,
    ) -> None:
        """Adds results to the gradebook and the outcome as they arrive."""
        pending = submissions if isinstance(submissions, Feed) else map(self._move_earlier, submissions)
        if cluster is None:
            replies = grade_all(pending, self._settings, jobs, live.started, nursery)
        else:
            from grader.gradebook.grading.cluster import grade_on_cluster  # with Dask, which is an extra

            replies = grade_on_cluster(pending, self._settings, cluster, live.started)
        settings = self._settings
        try:
            for submission, reply in stop.each_item(replies):
                results = reply.results
                # a file that changed between two readings has no key: it will be graded again
                sound = results is not None and results.submission_sha256 == submission.sha256
                if results is None:
                    self._outcome.reasons[submission.student] = reply.fault
                    results = fault_results(submission, self._lessons, settings.seed, reply.fault, settings.left_out)
                    withdraw_report(self._out / submission.student, results, self._publisher)
                key = result_key(self._conditions, submission) if sound else ""
                verdict = StoredVerdict(key, results, self._stored_conditions, reply.extras)
                has_report = settings.has_report(submission.student)
                attempt = self._gradebook.add(verdict, submission, stale=not has_report or bool(reply.plain))
                self._latest[submission.student] = attempt
                if sound:
                    self._attempts[submission.student, key] = attempt
                    self._outcome.reasons.pop(submission.student, None)
                self.views.keep_drawings(reply.drawings)
                results = self._shown(results)
                if not has_report:
                    self.views.write_student(submission.student, results)
                self._outcome.results.add(results)
                live.result(results)
        except KeyboardInterrupt:
            self._outcome.stopped = True

    def _move_earlier(self, submission: Submission) -> Submission:
        """The submission, after reports of lessons that keep their result have moved aside.

        Graders take submissions in their own threads, where the gradebook cannot be read.
        """
        if submission.student in self._latest:
            move_earlier_report(self._out / submission.student, submission, self._lessons, self._publisher)
        return submission

    def keep_times_and_names(self, present: set[str], found: FoundSubmissions, roster: Roster | None) -> None:
        """Store when the students who are `present` submitted, and count what is under their other names as theirs."""
        book, said = self._gradebook, self._outcome.joined
        for student in found.times.keys() & present:
            book.set_earlier_times(student, found.times[student])
        said += join_people(book, found, roster, present)
        said += questions_about_names(book, found, roster)
        for former in book.new_names():
            remove_report(self._out / former)  # two folders would disagree after the next decision

    def publish(self, course: Sequence[Lesson], only_these: bool, present: Collection[str]) -> None:
        """Write the class's pages, from the gradebook's current results. Raises OutputError."""
        self._outcome.class_size = 0
        self.views.write_stale()
        whole_class, assignment = ClassResults(), self._gradebook.assignment()
        names = {lesson.name for lesson in self._lessons} if assignment is None else {*assignment.rows}
        graded_lessons: set[str] = set()
        scores: dict[str, float | None] = {}
        for result in self._gradebook.current():
            self._outcome.class_size += 1
            scores[result.student] = score_or_none(result)
            if not only_these:
                whole_class.add(result)
                graded_lessons |= {lesson.name for lesson in result.lessons}
        shown = self._outcome.results if only_these else whole_class
        self.views.write_class(shown, [each for each in course if each.name in graded_lessons | names], present)
        self._outcome.plain = self.views.plain
        self._outcome.reasons |= self._gradebook.unread
        renamed = self._gradebook.new_names()
        before = {renamed.get(student, student): score for student, score in self._scores_before.items()}
        self._outcome.moves = Moves.between(before, scores, present)
        self._gradebook.keep(SCORES_ENTRY, json.dumps(scores))
