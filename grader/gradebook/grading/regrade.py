"""`grade regrade`: the gradebook's own submissions, graded again after a lesson has changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from grader.gradebook.current import graded_lessons
from grader.gradebook.database import Gradebook
from grader.gradebook.grading.graded import RunListener
from grader.gradebook.grading.grader_processes import GraderPool, Reply, grade_all
from grader.gradebook.grading.settings import Conditions, Settings, digest_of, fingerprint
from grader.gradebook.grading.stop import stop_at_signals
from grader.gradebook.records import Attempt
from grader.gradebook.store import StoredVerdict
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course
from grader.results import SubmissionResult, number
from grader.sandbox.isolation.limits import Limits


@dataclass(frozen=True)
class DueAttempt:
    """An attempt of which `lessons` are to be graded again. Its results were graded under the conditions `before`."""

    stored: Attempt
    before: Conditions
    lessons: tuple[str, ...]

    def conditions(self, course: Course, settings: Settings) -> tuple[Conditions, str]:
        """(those of the attempt, with what was graded again as it is now; the key of a verdict that is not applied).

        The grader is today's as well, if nothing else of the attempt is older. The key changes with all on which the
        new verdicts depend.
        """
        now, before = Conditions.of([course.lessons[name] for name in self.lessons], settings), self.before
        if now.lessons.keys() == before.lessons.keys():
            before = replace(before, grader=now.grader, libraries=now.libraries)
        whole = replace(before, lessons={**before.lessons, **now.lessons}, seed=now.seed, limits=now.limits)
        return whole, digest_of(now.digest, settings.require, self.stored.submission)


@dataclass
class RegradePlan:
    """What is to be graded again.

    Attributes:
        due: the attempts.
        lessons: the lessons that have changed, or that were named.
        gone: lessons of attempts that the course does not have any more.
        limits: the widest under which one of the attempts was graded. Grading again takes no time from anybody.
    """

    due: list[DueAttempt] = field(default_factory=list)
    lessons: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    @property
    def limits(self) -> Limits:
        return max((each.before.limits for each in self.due), key=lambda each: each.total_seconds, default=Limits())


def plan_regrade(gradebook: Gradebook, course: Course, named: Collection[str]) -> RegradePlan:
    """Which attempts are to be graded again: those that may count and were graded with another version of a lesson.

    Lessons that are `named` are graded again, changed or not.
    """
    plan, conditions = RegradePlan(), dict[str, Conditions]()
    current = {name: fingerprint(lesson) for name, lesson in course.lessons.items()}
    every_attempt_counts = gradebook.assignment() is not None
    lessons = set[str]()
    covered: dict[str, set[str]] = {}  # {student: lessons for which a newer attempt counts}
    for stored in gradebook.attempts():
        results = stored.results
        names, newer = graded_lessons(results), covered.setdefault(stored.student, set())
        counting = names if every_attempt_counts else names - newer
        newer |= names - {lesson.name for lesson in results.lessons if lesson.status == "missing"}
        if stored.conditions not in conditions:
            conditions[stored.conditions] = gradebook.load_value(Conditions, stored.conditions)
        before = conditions[stored.conditions]
        due = {name for name in counting if (name in named if named else before.lessons.get(name) != current.get(name))}
        lessons |= due
        if due & current.keys():
            plan.due.insert(0, DueAttempt(stored, before, tuple(sorted(due & current.keys()))))
    plan.lessons, plan.gone = sorted(lessons & current.keys()), sorted(lessons - current.keys())
    return plan


@dataclass
class RegradeOutcome:
    """What regrading has given.

    Attributes:
        results: {attempt's id: its results with the verdicts on the lessons that were graded again}.
        faults: {student: why an attempt could not be graded}.
    """

    results: dict[int, SubmissionResult] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    stopped: bool = False


def grade_again(
    plan: RegradePlan, gradebook: Gradebook, course: Course, settings: Settings, jobs: int, live: RunListener
) -> RegradeOutcome:
    """Grade what is due. Each verdict is stored as it arrives, not applied, and taken from there another time.

    Raises OutputError.
    """
    outcome, due = RegradeOutcome(), list[DueAttempt]()
    for attempt in plan.due:
        results = gradebook.waiting_verdict(attempt.stored.id, attempt.conditions(course, settings)[1])
        if results is None:
            due.append(attempt)
        else:
            outcome.results[attempt.stored.id] = results
    if not due:
        return outcome
    live.planned(len(due), 0)
    taken = dict[int, tuple[DueAttempt, Submission]]()  # by the submission's id()

    def submissions() -> Iterator[Submission]:
        for attempt in due:  # each is read when a grader is free
            submission = gradebook.submission(attempt.stored)
            taken[id(submission)] = attempt, submission
            yield submission

    left = len(due)
    with stop_at_signals() as stop:
        pool = partial(GraderPool, settings, min(jobs, len(due)))
        for submission, reply in grade_all(submissions(), pool, live.started, stop):
            (attempt, _), left = taken.pop(id(submission)), left - 1
            if reply.results is None:
                outcome.faults[attempt.stored.student] = reply.fault
                continue
            conditions, key = attempt.conditions(course, settings)
            verdict = verdict_with(attempt, reply, gradebook.extras(attempt.stored))
            results = outcome.results[attempt.stored.id] = verdict.results
            gradebook.add_verdict(attempt.stored.id, verdict._replace(key=key, conditions=conditions))
            live.result(reply.results)
    outcome.stopped = left > 0
    return outcome


def apply_regrade(plan: RegradePlan, gradebook: Gradebook, course: Course, settings: Settings) -> None:
    """Make the new verdicts count, all of them or none. The students' folders are stale from then on."""
    keys = {}
    for attempt in plan.due:
        conditions, _ = attempt.conditions(course, settings)
        keys[attempt.stored.id] = conditions.key(gradebook.submission(attempt.stored))
    gradebook.apply_verdicts(keys)


def verdict_with(attempt: DueAttempt, reply: Reply, extras: dict[str, Any]) -> StoredVerdict:
    """The verdict on an attempt, with what is new of its lessons that were graded again.

    Each kind of the extras is {lesson: ...}; only the texts are by file.
    """
    assert reply.results is not None
    old, again = attempt.stored.results, reply.results
    lessons = {lesson.name: lesson for lesson in old.lessons}
    lessons |= {lesson.name: lesson for lesson in again.lessons if lesson.name in attempt.lessons}
    failed = [each for each in old.not_graded or () if each.name not in attempt.lessons]
    results = replace(
        again,
        lessons=[lessons[name] for name in sorted(lessons)],
        score=number(sum(lesson.score for lesson in lessons.values())),
        max_score=number(sum(part.max_score for part in lessons.values()) + sum(each.max_score for each in failed)),
        left_out=old.left_out,
        not_graded=failed or None,
    )
    if failed:
        results.status, results.message = "error", old.message
    for kind, found in (reply.extras or {}).items():
        kept = {name: each for name, each in extras.get(kind, {}).items() if name not in attempt.lessons}
        new = {name: each for name, each in found.items() if kind == "texts" or name in attempt.lessons}
        extras[kind] = kept | new
    return StoredVerdict("", results, None, extras)
