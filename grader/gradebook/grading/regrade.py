"""`grade regrade`: the gradebook's own submissions, graded again after a lesson has changed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from grader.gradebook.current import graded_lessons
from grader.gradebook.database import Gradebook
from grader.gradebook.grading.grader_processes import grade_all
from grader.gradebook.grading.keys import Conditions, fingerprint, sha256_of
from grader.gradebook.grading.run import RunListener
from grader.gradebook.grading.settings import Settings
from grader.gradebook.grading.stop import stop_at_signals
from grader.gradebook.store import StoredAttempt, StoredVerdict
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course
from grader.results import LessonResult, SubmissionResult, number


@dataclass(frozen=True)
class DueAttempt:
    """An attempt of which `lessons` are to be graded again. `results` are those that count today."""

    stored: StoredAttempt
    results: SubmissionResult
    conditions: Conditions
    lessons: tuple[str, ...]


@dataclass
class RegradePlan:
    """What is to be graded again.

    Attributes:
        due: the attempts.
        results: {attempt's id: the results that count today}, of every attempt in the gradebook.
        lessons: the lessons that have changed, or that were named.
        gone: lessons of attempts that the course does not have any more.
    """

    due: list[DueAttempt] = field(default_factory=list)
    results: dict[int, SubmissionResult] = field(default_factory=dict)
    lessons: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)


def plan_regrade(gradebook: Gradebook, course: Course, named: Collection[str]) -> RegradePlan:
    """Which attempts are to be graded again: those that may count and were graded with another version of a lesson.

    Lessons that are `named` are graded again, changed or not.
    """
    plan, conditions = RegradePlan(), dict[str, Conditions]()
    current = {name: fingerprint(lesson) for name, lesson in course.lessons.items()}
    every_attempt_counts = gradebook.assignment() is not None
    lessons, gone = set[str](), set[str]()
    covered: dict[str, set[str]] = {}  # {student: lessons for which a newer attempt counts}
    for stored in gradebook.stored_attempts():
        results = plan.results[stored.id] = stored.read()
        names, newer = graded_lessons(results), covered.setdefault(stored.student, set())
        counting = names if every_attempt_counts else names - newer
        newer |= names - {lesson.name for lesson in results.lessons if lesson.status == "missing"}
        if stored.conditions not in conditions:
            conditions[stored.conditions] = gradebook.load_value(Conditions, stored.conditions)
        before = conditions[stored.conditions]
        due = {name for name in counting if (name in named if named else before.lessons.get(name) != current.get(name))}
        gone |= due - current.keys()
        due &= current.keys()
        lessons |= due
        if due:
            plan.due.append(DueAttempt(stored, results, before, tuple(sorted(due))))
    plan.due.reverse()
    plan.lessons, plan.gone = sorted(lessons), sorted(gone)
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

    `settings` give everything but the lessons and limits, which are those of the attempts. Raises OutputError.
    """
    outcome, groups = RegradeOutcome(), dict[str, list[DueAttempt]]()
    for attempt in plan.due:
        results = gradebook.waiting_verdict(attempt.stored.id, waiting_key(attempt, course, settings))
        if results is None:
            groups.setdefault(json.dumps(attempt.conditions.limits, sort_keys=True), []).append(attempt)
        else:
            outcome.results[attempt.stored.id] = results
    live.planned(len(plan.due) - len(outcome.results), 0)
    with stop_at_signals() as stop:
        try:
            for limits, attempts in groups.items():
                chosen = replace(settings, limits=json.loads(limits), lessons=plan.lessons)
                taken = dict[int, tuple[DueAttempt, Submission]]()
                waiting = stored_submissions(gradebook, attempts, taken)
                for submission, reply in stop.each_item(grade_all(waiting, chosen, jobs, live.started)):
                    attempt, _ = taken.pop(id(submission))
                    if reply.results is None:
                        outcome.faults[attempt.stored.student] = reply.fault
                        continue
                    results = outcome.results[attempt.stored.id] = new_results(attempt, reply.results)
                    extras = new_extras(attempt, reply.extras or {}, gradebook)
                    key, conditions = waiting_key(attempt, course, settings), new_conditions(attempt, course, settings)
                    gradebook.add_verdict(attempt.stored.id, StoredVerdict(key, results, conditions, extras))
                    live.result(reply.results)
        except KeyboardInterrupt:
            outcome.stopped = True
    return outcome


def stored_submissions(
    gradebook: Gradebook, attempts: Iterable[DueAttempt], taken: dict[int, tuple[DueAttempt, Submission]]
) -> Iterator[Submission]:
    """The submissions of attempts, each read when a grader is free; `taken` gets the attempt of each by its id()."""
    for attempt in attempts:
        submission = gradebook.submission(attempt.stored)
        taken[id(submission)] = attempt, submission
        yield submission


def apply_regrade(plan: RegradePlan, gradebook: Gradebook, course: Course, settings: Settings) -> None:
    """Make the new verdicts count, all of them or none. The students' folders are stale from then on."""
    keys = {}
    for attempt in plan.due:
        submission = gradebook.submission(attempt.stored)
        keys[attempt.stored.id] = new_conditions(attempt, course, settings).key(submission)
    gradebook.apply_verdicts(keys)


def new_conditions(attempt: DueAttempt, course: Course, settings: Settings) -> Conditions:
    """Those of the attempt, with what was graded again as it is now; the grader as well, if that is all of it."""
    before = attempt.conditions
    now = Conditions.of([course.lessons[name] for name in attempt.lessons], settings)
    if now.lessons.keys() == before.lessons.keys():
        before = replace(before, grader=now.grader, libraries=now.libraries)
    return replace(before, lessons={**before.lessons, **now.lessons}, seed=now.seed)


def waiting_key(attempt: DueAttempt, course: Course, settings: Settings) -> str:
    """The key of a verdict that is not applied: changes with all on which the new verdicts on its lessons depend."""
    now = Conditions.of([course.lessons[name] for name in attempt.lessons], settings)
    return sha256_of(replace(now, limits=attempt.conditions.limits).digest, settings.require, attempt.stored.submission)


def new_results(attempt: DueAttempt, again: SubmissionResult) -> SubmissionResult:
    """The results of an attempt, with those of its lessons that were graded `again`."""
    old = attempt.results
    new = {lesson.name: lesson for lesson in again.lessons if lesson.name in attempt.lessons}
    lessons: dict[str, LessonResult] = {lesson.name: lesson for lesson in old.lessons} | new
    failed = [each for each in old.not_graded or () if each.name not in new]
    ordered = [lessons[name] for name in sorted(lessons)]
    results = replace(
        again,
        lessons=ordered,
        score=number(sum(lesson.score for lesson in ordered)),
        max_score=number(sum(lesson.max_score for lesson in ordered) + sum(each.max_score for each in failed)),
        left_out=old.left_out,
        not_graded=failed or None,
    )
    if failed:
        results.status, results.message = "error", old.message
    return results


def new_extras(attempt: DueAttempt, again: Mapping[str, Any], gradebook: Gradebook) -> dict[str, Any]:
    """What only the report shows of an attempt, with that of its lessons that were graded `again`.

    Each kind is {lesson: ...}; only the texts are by file.
    """
    stored = attempt.stored.extras
    extras = {} if stored is None else gradebook.load_value(dict[str, Any], stored)
    for kind, found in again.items():
        kept = {name: each for name, each in extras.get(kind, {}).items() if name not in attempt.lessons}
        extras[kind] = kept | {name: each for name, each in found.items() if kind == "texts" or name in attempt.lessons}
    return extras
