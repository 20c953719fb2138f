"""`grade run`: from submissions to verdicts on disk; what was graded before and has not changed is left as it is."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

from grader.gradebook.assignment.in_force import not_yet_made
from grader.gradebook.class_results import ClassResults, Moves, score_or_none
from grader.gradebook.current import graded_lessons
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import lock_output, remove_report
from grader.gradebook.grading.changes import apply_unless_scores_move
from grader.gradebook.grading.follow import Following, Inbox
from grader.gradebook.grading.graded import Publisher, fault_results
from grader.gradebook.grading.graded import RunListener as RunListener
from grader.gradebook.grading.grader_processes import Replies, Reply, grade_all
from grader.gradebook.grading.keys import Conditions
from grader.gradebook.grading.outcome import RunOutcome
from grader.gradebook.grading.settings import RunIdentity, Settings
from grader.gradebook.grading.stop import Stop, stop_at_signals
from grader.gradebook.grading.views import Views, reported_in
from grader.gradebook.people import join_people
from grader.gradebook.records import Decision
from grader.gradebook.store import StoredVerdict
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.roster import Roster
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson
from grader.results import SubmissionResult
from grader.sandbox.isolation.probe import at_least
from grader.sandbox.workers.nursery import Nursery

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

    By `jobs` processes here, or by the workers of the Dask scheduler at `cluster`; `publisher` writes pages. A signal
    to stop leaves everything finished on disk. `submissions` are read as they are needed, twice where there was an
    earlier run; those that were found with a roster or with times (FoundSubmissions) bring these along. A `nursery` may
    have been started already. `decisions` that are not in force are added to the gradebook. With an `inbox`, it grades
    what appears there until a signal stops it. `roster` is the class's, and `kept` are texts that the gradebook keeps
    for later runs.

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
        gradebook.decide(not_yet_made(decisions, gradebook.decisions()))
        for name, text in kept.items():
            gradebook.keep(name, text)
        run = GradingRun(gradebook, lessons, settings, outcome, publisher, course, fresh)
        joined = join_people(gradebook, found, roster)
        run.renamed(joined.names)
        outcome.joined += joined.sentences
        run.views.keep_class(found.attendance, settings.left_out)
        try:
            if inbox is not None:
                run.follow(inbox, jobs, live, stop, nursery, only_these)
            else:
                due = [place for place, submission in enumerate(submissions) if run.is_due(submission, found)]
                outcome.kept = len(outcome.results)
                live.planned(len(due), outcome.kept)
                if due:
                    waiting = (submissions[place] for place in due)
                    run.grade(waiting, min(jobs, len(due)), live, stop, cluster, nursery)
        finally:
            if outcome.results:
                present = {result.student for result in outcome.results}
                for student in found.times.keys() & present:
                    gradebook.set_earlier_times(student, found.times[student])
                outcome.joined += [joined.questions[name] for name in gradebook.students() if name in joined.questions]
                run.publish(present, only_these)
    return outcome


class GradingRun:
    """One run over a gradebook: keeps results that are current, and grades the rest."""

    def __init__(
        self,
        gradebook: Gradebook,
        lessons: Sequence[Lesson],
        settings: Settings,
        outcome: RunOutcome,
        publisher: Publisher,
        course: Sequence[Lesson],
        fresh: bool,
    ) -> None:
        self._gradebook, self._lessons, self._outcome = gradebook, lessons, outcome
        self._settings, self._out, self._course = settings, Path(settings.out), course
        self._conditions = Conditions.of(lessons, settings)
        self.views = Views(self._out, gradebook, publisher, course)
        earlier = [] if fresh else list(gradebook.stored_attempts())[::-1]
        self._attempts = {(each.student, each.key): each.id for each in earlier if each.key}
        self._scores_before: dict[str, float | None] = json.loads(gradebook.kept(SCORES_ENTRY) or "{}")

    def renamed(self, names: Mapping[str, str]) -> None:
        """Go on with the new names that students have in the gradebook, {name: the new one}."""
        self._attempts = {(names.get(name, name), key): attempt for (name, key), attempt in self._attempts.items()}
        self._scores_before = {names.get(name, name): score for name, score in self._scores_before.items()}
        for name in names:
            remove_report(self._out / name)  # two folders would disagree after the next decision

    def is_due(self, submission: Submission, found: FoundSubmissions) -> bool:
        """Whether a submission has to be graded; else the results of an earlier run are added to the outcome.

        What a run without a roster, or with another one, graded of this very submission becomes the student's.
        """
        student, book = submission.student, self._gradebook
        for name in found.other_names.get(student, ()):
            if name != student and book.has_submission(name, submission.sha256):
                book.rename({name: student})
                self.renamed({name: student})
                why = "the same submission"
                self._outcome.joined.append(
                    f"{name} is {student} ({why}): attempts and decisions are now under this name."
                )
        attempts = {each.id: each for each in book.stored_attempts(student)}
        attempt = attempts.get(self._attempts.get((student, self._conditions.key(submission)), 0))
        if attempt is None:
            return True
        try:
            results = attempt.read()
            newer = [each.read() for each in attempts.values() if each.id > attempt.id]
        except Exception:  # a fault of the grader: it is graded again
            return True
        lessons = graded_lessons(results)
        if any(lessons & graded_lessons(each) for each in newer) or not at_least(
            results.isolation, self._settings.require
        ):
            return True
        if submission.time_source and submission.submitted is not None:
            book.set_time(attempt.id, submission.submitted, submission.time_source, submission.platform)
        current = book.current_of(student)
        if reported_in(self._out / student) != current:
            book.mark_stale([student])
        self._outcome.results.add(current)
        return False

    def follow(
        self, inbox: Inbox, jobs: int, live: RunListener, stop: Stop, nursery: Nursery | None, only_these: bool
    ) -> None:
        """Grade what appears in the inbox until a signal stops it, and keep the class's pages up to date."""

        def publish(present: Collection[str]) -> None:
            self.views.keep_class(inbox.found.attendance, self._settings.left_out)
            self.publish(present, only_these)

        following = Following(inbox, lambda each: self.is_due(each, inbox.found), publish, live.planned)
        try:
            self._store(
                grade_all((), self._settings, jobs, live.started, nursery, lambda pool, _: following.replies(pool)),
                live,
                stop,
            )
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
        """Grade all of them, here or on a cluster."""
        if cluster is None:
            replies = grade_all(submissions, self._settings, jobs, live.started, nursery)
        else:
            from grader.gradebook.grading.cluster import grade_on_cluster  # with Dask, which is an extra

            replies = grade_on_cluster(submissions, self._settings, cluster, live.started)
        self._store(replies, live, stop)

    def _store(self, replies: Replies, live: RunListener, stop: Stop) -> None:
        """Add results to the gradebook and the outcome as they arrive."""
        try:
            for submission, reply in stop.each_item(replies):
                results = self._add(submission, reply)
                self._outcome.results.add(results)
                live.result(results)
        except KeyboardInterrupt:
            self._outcome.stopped = True

    def _add(self, submission: Submission, reply: Reply) -> SubmissionResult:
        """Store an attempt and write the student's report; returns their current results."""
        student, settings, results = submission.student, self._settings, reply.results
        # a file that changed between two readings has no key: it will be graded again
        sound = results is not None and results.submission_sha256 == submission.sha256
        if results is None:
            self._outcome.reasons[student] = reply.fault
            results = fault_results(submission, self._lessons, settings.seed, reply.fault, settings.left_out)
        key = self._conditions.key(submission) if sound else ""
        verdict = StoredVerdict(key, results, self._conditions, reply.extras)
        attempt = self._gradebook.add(verdict, submission, stale=True)
        if sound:
            self._attempts[student, key] = attempt
            self._outcome.reasons.pop(student, None)
        results = self._gradebook.current_of(student)
        self.views.write_student(student, results)
        return results

    def publish(self, present: Collection[str], only_these: bool) -> None:
        """Write the class's pages, from the gradebook's current results. Raises OutputError."""
        self._outcome.class_size = 0
        self.views.write_stale()
        whole_class, assignment = ClassResults(), self._gradebook.assignment()
        names = {lesson.name for lesson in self._lessons} if assignment is None else {*assignment.rows}
        scores: dict[str, float | None] = {}
        for result in self._gradebook.current():
            self._outcome.class_size += 1
            scores[result.student] = score_or_none(result)
            if not only_these:
                whole_class.add(result)
                names |= {lesson.name for lesson in result.lessons}
        shown = self._outcome.results if only_these else whole_class
        self.views.write_class(shown, [each for each in self._course if each.name in names], present)
        self._outcome.plain = self.views.plain
        self._outcome.reasons |= self._gradebook.unread
        self._outcome.moves = Moves.between(self._scores_before, scores, present)
        self._gradebook.keep(SCORES_ENTRY, json.dumps(scores))
