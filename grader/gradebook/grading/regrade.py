"""`grade regrade`: the gradebook's own submissions, graded again after a lesson has changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
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


class Regrade:
    """The attempts of a gradebook that are to be graded again with a course as it is now, and what that gave.

    Attributes:
        due: the attempts: those that may count and were graded with another version of a lesson.
        lessons: the lessons that have changed, or that were named.
        gone: lessons of attempts that the course does not have any more.
        results: {attempt's id: its results with the verdicts on the lessons that were graded again}.
        faults: {student: why an attempt could not be graded}.
        stopped: whether a signal came before everything was graded.
    """

    def __init__(self, gradebook: Gradebook, course: Course, named: Collection[str]) -> None:
        """Lessons that are `named` are graded again, changed or not."""
        self._gradebook, self._course = gradebook, course
        self.due, self.results, self.faults = list[DueAttempt](), dict[int, SubmissionResult](), dict[str, str]()
        self.stopped = False
        conditions = dict[str, Conditions]()
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
            due = {
                name for name in counting if (name in named if named else before.lessons.get(name) != current.get(name))
            }
            lessons |= due
            if due & current.keys():
                self.due.insert(0, DueAttempt(stored, before, tuple(sorted(due & current.keys()))))
        self.lessons, self.gone = sorted(lessons & current.keys()), sorted(lessons - current.keys())

    @property
    def limits(self) -> Limits:
        """The widest under which one of the attempts was graded. Grading again takes no time from anybody."""
        return max((each.before.limits for each in self.due), key=lambda each: each.total_seconds, default=Limits())

    def grade(self, settings: Settings, jobs: int, live: RunListener) -> None:
        """Grade what is due. Each verdict is stored as it arrives, not applied, and taken from there another time.

        Raises OutputError.
        """
        gradebook, due = self._gradebook, list[DueAttempt]()
        for attempt in self.due:
            results = gradebook.waiting_verdict(attempt.stored.id, attempt.conditions(self._course, settings)[1])
            if results is None:
                due.append(attempt)
            else:
                self.results[attempt.stored.id] = results
        if not due:
            return
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
                    self.faults[attempt.stored.student] = reply.fault
                    continue
                conditions, key = attempt.conditions(self._course, settings)
                verdict = verdict_with(attempt, reply, gradebook.extras(attempt.stored))
                self.results[attempt.stored.id] = verdict.results
                gradebook.add_verdict(attempt.stored.id, verdict._replace(key=key, conditions=conditions))
                live.result(reply.results)
        self.stopped = left > 0

    def apply(self, settings: Settings) -> None:
        """Make the new verdicts count, all of them or none. The students' folders are stale from then on."""
        keys = {}
        for attempt in self.due:
            conditions, _ = attempt.conditions(self._course, settings)
            keys[attempt.stored.id] = conditions.key(self._gradebook.submission(attempt.stored))
        self._gradebook.apply_verdicts(keys)


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
