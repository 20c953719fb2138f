"""`grade run`: from submissions to verdicts on disk; what was graded before and has not changed is left as it is."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

from grader.gradebook.assignment.in_force import not_yet_made
from grader.gradebook.class_results import ClassResults, score_or_none
from grader.gradebook.current import graded_lessons
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import lock_output, remove_report
from grader.gradebook.grading.follow import Inbox, follow
from grader.gradebook.grading.graded import Publisher, RunListener, fault_results
from grader.gradebook.grading.grader_processes import GraderPool, Replies, Reply, grade_all
from grader.gradebook.grading.outcome import Moves, RunOutcome, apply_unless_scores_move
from grader.gradebook.grading.settings import Conditions, RunIdentity, Settings
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
    found = submissions if isinstance(submissions, FoundSubmissions) else FoundSubmissions(lessons)
    with lock_output(out), stop_at_signals() as stop, closing(Gradebook(out / GRADEBOOK)) as gradebook:
        run = GradingRun(gradebook, lessons, settings, publisher, course)
        outcome = run.outcome
        if identity is not None:
            identity.check(out, gradebook)
            gradebook.describe(identity.entries(lessons))
            if identity.assignment is not None:
                outcome.unapplied = apply_unless_scores_move(identity.assignment, gradebook)
        gradebook.decide(not_yet_made(decisions, gradebook.decisions()))
        joined = join_people(gradebook, found, roster)
        run.renamed(joined.names)
        outcome.joined += joined.sentences
        for name, text in kept.items():
            gradebook.keep(name, text)
        run.views.keep_class(found.attendance, settings.left_out)
        try:
            if inbox is not None:
                run.follow(inbox, jobs, live, stop, nursery, only_these, fresh)
            else:
                due = [at for at, submission in enumerate(submissions) if run.is_due(submission, found, fresh)]
                outcome.kept = len(outcome.results)
                live.planned(len(due), outcome.kept)
                waiting = (submissions[at] for at in due)
                if due and cluster is not None:
                    from grader.gradebook.grading.cluster import grade_on_cluster  # with Dask, which is an extra

                    run.store(grade_on_cluster(waiting, settings, cluster, live.started), live, stop)
                elif due:
                    run.store(grade_all(waiting, settings, min(jobs, len(due)), live.started, nursery), live, stop)
        finally:
            if outcome.results:
                present = {result.student for result in outcome.results}
                outcome.joined += [joined.questions[name] for name in gradebook.students() if name in joined.questions]
                run.publish(present, only_these)
    return outcome


class GradingRun:
    """One run over a gradebook: keeps results that are current, and stores those of the rest."""

    def __init__(
        self,
        gradebook: Gradebook,
        lessons: Sequence[Lesson],
        settings: Settings,
        publisher: Publisher,
        course: Sequence[Lesson],
    ) -> None:
        self.outcome, self._gradebook, self._lessons, self._course = RunOutcome(), gradebook, lessons, course
        self._settings, self._out = settings, Path(settings.out)
        self._conditions = Conditions.of(lessons, settings)
        self.views = Views(self._out, gradebook, publisher)
        self._scores_before: dict[str, float | None] = json.loads(gradebook.kept(SCORES_ENTRY) or "{}")

    def renamed(self, names: Mapping[str, str]) -> None:
        """Go on with the new names that students have in the gradebook, {name: the new one}."""
        self._scores_before = {names.get(name, name): score for name, score in self._scores_before.items()}
        for name in names:
            remove_report(self._out / name)  # two folders would disagree after the next decision

    def is_due(self, submission: Submission, found: FoundSubmissions, fresh: bool = False) -> bool:
        """Whether a submission has to be graded, with `fresh` always; else the outcome gets an earlier run's results.

        What a run without a roster, or with another one, graded of this very submission becomes the student's, but not
        what is another student's of this run: a group submits once.
        """
        student, book, key = submission.student, self._gradebook, self._conditions.key(submission)
        for name in found.other_names.get(student, ()):
            is_present = any(arrival.student == name for arrival in found.arrivals)
            if not is_present and book.has_submission(name, submission.sha256):
                book.rename({name: student})
                self.renamed({name: student})
                self.outcome.joined.append(
                    f"{name} is {student} (the same submission): attempts and decisions are now under this name."
                )
        attempts = list(book.stored_attempts(student))  # the newest first
        place = next((at for at, each in enumerate(attempts) if each.key == key), None)
        if place is None or fresh:
            return True
        try:
            *newer, results = (each.read() for each in attempts[: place + 1])
        except Exception:  # a fault of the grader: it is graded again
            return True
        is_replaced = any(graded_lessons(results) & graded_lessons(each) for each in newer)
        if is_replaced or not at_least(results.isolation, self._settings.require):
            return True
        if submission.time_source and submission.submitted is not None:
            book.set_time(attempts[place].id, submission.submitted, submission.time_source, submission.platform)
        current = book.current_of(student)
        if reported_in(self._out / student) != current:
            book.mark_stale([student])
        self.outcome.results.add(current)
        return False

    def follow(
        self,
        inbox: Inbox,
        jobs: int,
        live: RunListener,
        stop: Stop,
        nursery: Nursery | None,
        only_these: bool,
        fresh: bool,
    ) -> None:
        """Grade what appears in the inbox until a signal stops it, and keep the class's pages up to date."""
        seen = set[tuple[str, str]]()  # with `fresh`, what was there before this run does not count

        def is_due(submission: Submission) -> bool:
            is_first = fresh and (submission.student, submission.sha256) not in seen
            seen.add((submission.student, submission.sha256))
            return self.is_due(submission, inbox.found, is_first)

        def publish(present: Collection[str]) -> None:
            self.views.keep_class(inbox.found.attendance, self._settings.left_out)
            self.publish(present, only_these)

        students: Collection[str] = ()

        def grade(pool: GraderPool, _: object) -> Replies:
            nonlocal students
            students = pool.students  # those whose submissions have no reply yet
            return follow(pool, inbox, is_due, publish, live.planned)

        self.store(grade_all((), self._settings, jobs, live.started, nursery, grade), live, stop)
        self.outcome.stopped = bool(students) or inbox.waiting() > 0

    def store(self, replies: Replies, live: RunListener, stop: Stop) -> None:
        """Add results to the gradebook and the outcome as they arrive."""
        try:
            for submission, reply in stop.each_item(replies):
                results = self._add(submission, reply)
                self.outcome.results.add(results)
                live.result(results)
        except KeyboardInterrupt:
            self.outcome.stopped = True

    def _add(self, submission: Submission, reply: Reply) -> SubmissionResult:
        """Store an attempt and write the student's report; returns their current results."""
        student, settings, results = submission.student, self._settings, reply.results
        # a file that changed between two readings has no key: it will be graded again
        is_sound = results is not None and results.submission_sha256 == submission.sha256
        if results is None:
            self.outcome.reasons[student] = reply.fault
            results = fault_results(submission, self._lessons, settings.seed, reply.fault, settings.left_out)
        elif is_sound:
            self.outcome.reasons.pop(student, None)
        key = self._conditions.key(submission) if is_sound else ""
        self._gradebook.add(StoredVerdict(key, results, self._conditions, reply.extras), submission, stale=True)
        current = self._gradebook.current_of(student)
        self.views.write_student(student, current)
        return current

    def publish(self, present: Collection[str], only_these: bool) -> None:
        """Write the class's pages, from the gradebook's current results. Raises OutputError."""
        self.views.write_stale()
        whole_class, assignment = ClassResults(), self._gradebook.assignment()
        names = {lesson.name for lesson in self._lessons} if assignment is None else {*assignment.rows}
        scores: dict[str, float | None] = {}
        for result in self._gradebook.current():
            scores[result.student] = score_or_none(result)
            if not only_these:
                whole_class.add(result)
                names |= {lesson.name for lesson in result.lessons}
        shown = self.outcome.results if only_these else whole_class
        self.views.write_class(shown, [each for each in self._course if each.name in names], present)
        self.outcome.class_size, self.outcome.plain = len(scores), self.views.plain
        self.outcome.reasons |= self._gradebook.unread
        if self._scores_before:
            self.outcome.moves = Moves.between(self._scores_before, scores, present)
        self._gradebook.keep(SCORES_ENTRY, json.dumps(scores))
