"""A student's points: attempts, an assignment and decisions in; the result that every view reads out.

Everything here is a pure function: it reads no clock and no disk, and the same arguments give the same result.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from grader.gradebook.assignment.attempts import (
    DIGITS,
    CandidateAttempt,
    attempts_at,
    choose,
    delay_of,
    in_submission_order,
    in_utc,
    later,
)
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.in_force import DecisionsInForce
from grader.gradebook.assignment.weighted import decided_lesson, is_final, missing_lesson, rounded, with_weights
from grader.gradebook.current import current_results
from grader.gradebook.records import Attempt, Decision
from grader.results import (
    AssignmentSummary,
    CountedAttempt,
    IntakeRemark,
    Lateness,
    LessonResult,
    NotGraded,
    SubmissionResult,
    number,
)
from grader.results.wording import UNKNOWN_TIME


class Standing(NamedTuple):
    """A student's points in an assignment so far, and the results behind them, with how many free late days were used.

    `share` is the points divided by the most that these attempts can earn, from 0 to 1. Excused rows, and rows that a
    notebook cannot contain, are in neither.
    """

    share: float
    free_days: int
    results: SubmissionResult


def assigned(
    student: str,
    assignment: Assignment | None,
    attempts: Sequence[Attempt],
    decisions: Sequence[Decision] = (),
    free_days: int | None = None,
) -> SubmissionResult:
    """The results of a student's standing, from all attempts and decisions of this student, in any order.

    With no attempt the status is "nothing"; "unclear" where points depend on a time of submission that nothing says.

    Args:
        assignment: None where the gradebook has none: of every lesson the last attempt counts, as it was graded.
        free_days: the free late days that it may use; it uses no more than help. None: all that it gives.
    """
    in_force = DecisionsInForce(decisions)
    if assignment is None:
        return without_assignment(student, attempts, in_force)
    days = assignment.late.free_days if free_days is None else free_days
    return with_rounded_points(best_standing(student, assignment, attempts, in_force, days).results, assignment.round)


def best_standing(
    student: str, assignment: Assignment, attempts: Sequence[Attempt], decisions: DecisionsInForce, days: int
) -> Standing:
    """The standing with the largest share that up to `days` free late days give, with the fewest days.

    The points of its lessons and rows are not rounded.
    """
    work = AssignedWork(student, assignment, attempts, decisions)
    standings = [work.standing(free_days) for free_days in range(min(days, work.most_days) + 1)]
    return max(standings, key=lambda each: (round(each.share, DIGITS), -each.free_days))


def with_rounded_points(results: SubmissionResult, decimals: int | None = None) -> SubmissionResult:
    """The results with points as people write them. The total is that of the lessons before they are rounded."""
    lessons = [rounded(lesson, decimals) for lesson in results.lessons]
    score, max_score = number(results.score, decimals), number(results.max_score, decimals)
    return replace(results, lessons=lessons, score=score, max_score=max_score)


def without_assignment(student: str, attempts: Sequence[Attempt], decisions: DecisionsInForce) -> SubmissionResult:
    """The last attempt lesson by lesson, as it was graded, with decisions."""
    results = SubmissionResult(student=student, status="nothing")
    if attempts:
        newest_first = sorted(attempts, key=lambda each: each.id, reverse=True)
        results = current_results([each.results for each in newest_first])
    if decisions:
        decided = (decided_lesson(lesson, decisions, {}) for lesson in results.lessons)
        lessons = [with_final_points(lesson, None, decisions) for lesson in decided]
        results = with_rounded_points(with_decisions(replace(results, lessons=lessons), decisions))
    return results


class AssignedWork:
    """A student's attempts at an assignment, by lesson, with the decisions about them."""

    def __init__(
        self, student: str, assignment: Assignment, attempts: Sequence[Attempt], decisions: DecisionsInForce
    ) -> None:
        self._student, self._assignment, self._decisions = student, assignment, decisions
        self._latest = next(reversed(in_submission_order(attempts)), None)
        self._candidates = {lesson: self._attempts_at(lesson, attempts) for lesson in assignment.rows}
        delays = (each.delay for candidates in self._candidates.values() for each in candidates)
        self.most_days = max((delay.days for delay in delays), default=0)
        """The most days by which any attempt is late."""

    def _attempts_at(self, lesson: str, attempts: Sequence[Attempt]) -> list[CandidateAttempt]:
        assignment, rows = self._assignment, self._assignment.rows[lesson]
        rule, dates = (assignment.due, assignment.grace, assignment.late), [None, *self._decisions.extensions(lesson)]
        found = []
        for number_, (attempt, verdict) in enumerate(attempts_at(lesson, attempts), 1):
            delays = [delay_of(attempt.submitted, *rule, date, attempt.graded) for date in dates]
            weighted = verdict and with_weights(verdict, rows, assignment.notebook)
            result = weighted and decided_lesson(weighted, self._decisions, rows)
            on_time = tuple(not delay.by and not delay.is_unclear for delay in delays)
            shortest = min(delays, key=lambda delay: (delay.is_unclear, delay.by))
            found.append(CandidateAttempt(attempt, result, number_, shortest, on_time))
        return found

    def standing(self, free_days: int) -> Standing:
        """The standing with exactly so many free late days."""
        valued = {
            lesson: [self._valued(each, free_days) for each in candidates]
            for lesson, candidates in self._candidates.items()
        }
        open_ = {lesson: self._might_count(lesson, candidates) for lesson, candidates in valued.items()}
        failed = {lesson: valued[lesson] for lesson, found in open_.items() if any(not each.lesson for each in found)}
        unclear = {
            name: [each for each in found if each.lesson and each.lesson.is_unclear] for name, found in open_.items()
        }
        graded = {name: unclear[name] or [each for each in found if each.lesson] for name, found in valued.items()}
        chosen = {
            lesson: choose(each, self._assignment.counts)
            for lesson, each in graded.items()
            if each and lesson not in failed
        }
        lessons = [
            self._counted(chosen[lesson], len(valued[lesson])) if lesson in chosen else self._missing(lesson)
            for lesson in self._assignment.rows
            if lesson not in failed
        ]
        results = self._results(lessons, chosen, failed, free_days)
        share = results.score / results.max_score if results.max_score else 0.0
        return Standing(share, free_days, results)

    def _valued(self, candidate: CandidateAttempt, free_days: int) -> CandidateAttempt:
        """The candidate with its points after lateness and decisions about the lesson."""
        if candidate.lesson is None:
            return candidate
        late = None
        if self._assignment.due is not None:
            delay, policy = candidate.delay, self._assignment.late
            kept = max(policy.keep_at_least, 100 - policy.percent_per_day * max(0, delay.days - free_days))
            if delay.is_too_late or delay.is_unclear:  # until the time is known or a person decides
                kept = 0.0
            earned = sum(row.points for row in candidate.lesson.rows if not is_final(row))
            seconds, used = math.ceil(delay.by.total_seconds()), min(free_days, delay.days)
            late = Lateness(delay.is_known, seconds, delay.days, used, kept, earned * (100 - kept) / 100)
        return replace(candidate, lesson=with_final_points(candidate.lesson, late, self._decisions))

    def _might_count(self, lesson: str, candidates: Sequence[CandidateAttempt]) -> Sequence[CandidateAttempt]:
        """The attempts that the lesson's points may come from; none where a person decided about the lesson."""
        if self._decisions.settles(lesson):
            return ()
        return candidates[-1:] if self._assignment.counts == "last" else candidates

    def _counted(self, candidate: CandidateAttempt, of: int) -> LessonResult:
        """The lesson's result, which says that this attempt counts."""
        assert candidate.lesson is not None
        why: str = self._assignment.counts
        if why == "last on time" and candidate.delay.by:
            why = "last, none on time"
        when, source = self._date_text(candidate.attempt.submitted), candidate.attempt.time_source
        counted = CountedAttempt(candidate.number, of, when, why, source or None)
        return replace(candidate.lesson, attempt=counted)

    def _date_text(self, date: datetime | None) -> str | None:
        """A date in ISO format, in the time zone of the due date if there is one."""
        due = self._assignment.due
        return None if date is None else (date if due is None else date.astimezone(due.tzinfo)).isoformat()

    def _contradiction(self, counted: CandidateAttempt, lesson: str) -> str | None:
        """A sentence where the platform's own record says otherwise about lateness, unless a person extended it."""
        platform, here = counted.attempt.platform, "late" if counted.delay.by else "on time"
        is_decided = not counted.delay.by and bool(self._decisions.extensions(lesson))
        if self._assignment.due is None or platform in ("", here) or not counted.delay.is_known or is_decided:
            return None
        return f"By the platform's record this work was {platform}; by the due date of this assignment it was {here}."

    def _missing(self, lesson: str) -> LessonResult:
        rows = self._assignment.rows[lesson]
        return with_final_points(
            decided_lesson(missing_lesson(lesson, rows), self._decisions, rows), None, self._decisions
        )

    def _results(
        self,
        lessons: list[LessonResult],
        chosen: Mapping[str, CandidateAttempt],
        failed: Mapping[str, Sequence[CandidateAttempt]],
        free_days: int,
    ) -> SubmissionResult:
        """The student's result, which has these lessons."""
        assignment = self._assignment
        not_graded = [NotGraded(name, number(sum(assignment.rows[name].values()))) for name in failed]
        counted = {candidate.attempt.id for candidate in chosen.values()}
        if self._latest is None:
            results = SubmissionResult(student=self._student, status="nothing")
        else:
            results = self._latest.results
            has_message = results.status != "error" and (self._latest.id in counted or not counted)
            message = results.message if has_message else None
            results = replace(results, status="graded", message=message, left_out=None, not_graded=None)
            refused = [lesson for lesson in lessons if lesson.status == "rejected"]
            if self._latest.results.status == "rejected" and (refused or not counted):
                results.status = "rejected"
            results.earlier = [
                name for name, candidate in chosen.items() if candidate.attempt.id != self._latest.id
            ] or None
        remarks = {self._contradiction(each, lesson) for lesson, each in chosen.items()}
        new = [IntakeRemark("platform", each) for each in sorted(filter(None, remarks))]
        results = replace(results, intake=[*(results.intake or ()), *new] or None)
        if any(lesson.is_unclear for lesson in lessons):
            results = replace(results, status="unclear", message=UNKNOWN_TIME)
        if failed:
            without_verdict = (each.attempt for open_ in failed.values() for each in open_ if each.lesson is None)
            newest = in_submission_order(without_verdict)[-1]
            results = replace(results, status="error", message=newest.results.message, not_graded=not_graded)
        extended_to = self._decisions.last_extension()
        due = assignment.due
        own_due = None if due is None or later(due, extended_to) is due else self._date_text(extended_to)
        summary = AssignmentSummary(assignment.title, self._date_text(due), own_due, assignment.counts)
        late = [lesson.late for lesson in lessons if lesson.late is not None]
        results = replace(results, lessons=lessons, assignment=summary, late=summary_of(late, free_days))
        return with_decisions(results, self._decisions)


def summary_of(late: Sequence[Lateness], free_days: int) -> Lateness | None:
    """How late an assignment is: as late as its latest lesson. None where no lesson has a due date."""
    if not late:
        return None
    return Lateness(
        all(each.is_known for each in late),
        max(each.seconds for each in late),
        max(each.days for each in late),
        free_days,
        min(each.kept_percent for each in late),
        number(sum(each.cost for each in late)),
    )


def with_final_points(lesson: LessonResult, late: Lateness | None, decisions: DecisionsInForce) -> LessonResult:
    """Return the lesson with its points after lateness and what was decided about it as a whole.

    Rows keep their points: lateness is taken from the lesson. Points that a person has set are final.
    """
    excused = decisions.excuse(lesson.name)
    if excused is not None or decisions.excuse(None) is not None:
        return replace(lesson, score=0, max_score=0, excused=excused)
    score = lesson.score - late.cost if late is not None else lesson.score
    adjustment = decisions.points(lesson.name, score, lesson.max_score)
    if adjustment is None:
        return replace(lesson, score=score, late=late)
    late = None if late is None else late._replace(cost=0)
    return replace(lesson, score=adjustment.points, late=late, adjustment=adjustment)


def with_decisions(results: SubmissionResult, decisions: DecisionsInForce) -> SubmissionResult:
    """Return the result with the sums of its lessons, and with what was decided about it as a whole."""
    excused = decisions.excuse(None)
    parts = [*results.lessons, *(() if excused else results.not_graded or ())]
    score, max_score = sum(lesson.score for lesson in results.lessons), number(sum(part.max_score for part in parts))
    adjustment = None if excused else decisions.points(None, score, max_score)
    status, not_graded = results.status, results.not_graded
    if adjustment is not None:
        status, not_graded = "graded", None
    elif status == "nothing" and (
        any(lesson.adjustment for lesson in results.lessons) or any(row.adjustment for row in results.rows())
    ):
        status = "graded"
    return replace(
        results,
        score=number(score) if adjustment is None else adjustment.points,
        max_score=max_score,
        status=status,
        not_graded=not_graded,
        adjustment=adjustment,
        excused=excused,
        comments=decisions.comments(None),
    )


# Free late days of a term ---------------------------------------------------------------------------------------------


TermWork = tuple[Assignment, Sequence[Attempt], Sequence[Decision]]
"""One student's attempts at one assignment of the term, and the decisions about them."""


def days_left(student: str, assignment: Assignment, others: Iterable[TermWork]) -> int:
    """The free late days that are left for an assignment when the `others` that are due before it have used theirs.

    Each assignment uses the fewest of the days left that give it the most points.
    """
    days = assignment.late.free_days
    for other, attempts, decisions in sorted(others, key=lambda each: order_in_term(each[0])):
        if order_in_term(other) < order_in_term(assignment):
            days -= best_standing(student, other, attempts, DecisionsInForce(decisions), days).free_days
    return days


def share_free_days(name: str, assignment: Assignment, other_name: str, other: Assignment) -> bool:
    """Whether the assignments of two gradebooks name the same term, and give the same number of days."""
    terms = [{own, *each.late.term} for own, each in ((name, assignment), (other_name, other))]
    return terms[0] == terms[1] and assignment.late.free_days == other.late.free_days


def order_in_term(assignment: Assignment) -> tuple[float, str, str]:
    """Sorts assignments by due date; those without one come last."""
    due = assignment.due
    return (float("inf") if due is None else in_utc(due).timestamp(), assignment.title, assignment.text)
