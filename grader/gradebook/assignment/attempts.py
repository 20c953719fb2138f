"""How late each of a student's attempts is, and which of them a lesson's points come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count

from grader.gradebook.assignment.config import CountingAttempt, LatePolicy
from grader.gradebook.records import Attempt
from grader.results import LessonResult

DAY = timedelta(days=1)
LAST_MINUTE = datetime(9999, 12, 31, 23, 58, tzinfo=UTC)
"""Of a deadline that people write where there is none."""


@dataclass(frozen=True)
class Delay:
    """How late an attempt is.

    Attributes:
        by: from the student's due date to the submission, in whole minutes if the due date has no seconds; zero for an
            attempt on time.
        days: calendar days in the time zone of the assignment, each begun one counted.
        is_too_late: whether it came after the hard deadline.
        is_known: whether the time of submission is known.
        is_unclear: nothing says when it was submitted, and it may have been after the due date.
    """

    by: timedelta = timedelta()
    days: int = 0
    is_too_late: bool = False
    is_known: bool = True
    is_unclear: bool = False


ON_TIME = Delay()


def delay_of(
    submitted: datetime | None,
    due: datetime | None,
    grace: timedelta,
    policy: LatePolicy,
    extended_to: datetime | None,
    graded: datetime | None = None,
) -> Delay:
    """Return how late an attempt is.

    An attempt within the grace period is on time; after it, lateness counts from the due date. An extension moves the
    due date, and the hard deadline where that is earlier. Work at an unknown time is on time only if it was `graded`
    before it was due. Work that is N days late is what an extension by N days would have made punctual: the same time
    of day in the due date's zone.
    """
    if due is None:
        return ON_TIME
    own_due, latest = later(due, extended_to).astimezone(due.tzinfo), submitted or graded
    is_on_time = latest is not None and in_utc(latest) < end_of_due_time(own_due) + max(grace, timedelta())
    if submitted is None:
        return Delay(is_known=False, is_unclear=not is_on_time)
    if is_on_time:
        return ON_TIME
    moment = in_utc(submitted)
    by = moment - in_utc(own_due)
    by -= by % due_precision(own_due)
    fewest = max(1, by // DAY - 1)  # when the clocks change, days are longer or shorter
    days = next(days for days in count(fewest) if moment < end_of_due_time(own_due + days * DAY))
    too_late = policy.hard_deadline is not None and moment >= end_of_due_time(later(policy.hard_deadline, extended_to))
    return Delay(by, days, too_late)


def end_of_due_time(date: datetime) -> datetime:
    """The first moment in UTC after a due time, which includes the whole minute or second that it names."""
    return min(in_utc(date), LAST_MINUTE) + due_precision(date)


def due_precision(date: datetime) -> timedelta:
    """A minute for a time without seconds, as people write it; else a second or a microsecond."""
    return timedelta.resolution if date.microsecond else timedelta(seconds=1 if date.second else 60)


def later(date: datetime, other: datetime | None) -> datetime:
    return date if other is None or end_of_due_time(other) <= end_of_due_time(date) else other


def in_utc(date: datetime) -> datetime:
    """The same moment in UTC: differences of two times in one zone ignore the change to summer time."""
    return date.astimezone(UTC)


DIGITS = 9
"""Points that agree to so many digits are equal."""


@dataclass(frozen=True)
class CandidateAttempt:
    """One attempt at a lesson, from which the lesson's points may come.

    Attributes:
        lesson: its verdict, with the assignment's points; None where the grader failed.
        number: its place among the attempts at this lesson, from 1, in the order of submission.
        delay: how late it is for the student, by the latest of the due dates.
        on_time_for: whether it is on time for each due date that the student has had: the assignment's, and those of
            extensions.
    """

    attempt: Attempt
    lesson: LessonResult | None
    number: int = 1
    delay: Delay = ON_TIME
    on_time_for: tuple[bool, ...] = (True,)

    @property
    def share(self) -> float:
        """The points divided by their maximum, which is smaller for a notebook that cannot contain every row."""
        return self.lesson.score / self.lesson.max_score if self.lesson and self.lesson.max_score else 0.0


def in_submission_order(attempts: Iterable[Attempt]) -> list[Attempt]:
    """One student's attempts from the first to the last: by the time of submission where it is known, else of grading.

    An attempt at an unknown time comes before those that were graded after it.
    """
    times: dict[int, datetime] = {}
    latest: datetime | None = None  # that an attempt at an unknown time can have
    by_id = sorted(attempts, key=lambda each: each.id, reverse=True)
    for attempt in by_id:
        time = in_utc(attempt.submitted or attempt.graded)
        times[attempt.id] = time if attempt.submitted or latest is None else min(time, latest)
        latest = times[attempt.id] if latest is None else min(times[attempt.id], latest)
    return sorted(by_id, key=lambda each: (times[each.id], each.id))


def attempts_at(lesson: str, attempts: Iterable[Attempt]) -> list[tuple[Attempt, LessonResult | None]]:
    """(attempt, its verdict on the lesson) of all attempts that contain the lesson, in the order of submission.

    The verdict is None where the grader failed. A submission that was graded again has its newest verdict; it is one
    attempt for each time at which it was submitted, and `graded` says when it was graded first.
    """
    verdicts: dict[str, LessonResult | None] = {}
    times: dict[str, dict[datetime | None, Attempt]] = {}
    first: dict[str, datetime] = {}
    for attempt in sorted(attempts, key=lambda each: each.id):
        content = attempt.results.submission_sha256 or f"attempt {attempt.id}"
        found = next((each for each in attempt.results.lessons if each.name == lesson), None)
        if attempt.results.status == "error":
            if lesson in (each.name for each in attempt.results.not_graded or ()):
                verdicts[content] = None
            elif found is None:
                continue
        elif found is None or found.status == "missing":
            continue
        if found is not None:
            verdicts[content] = found
        times.setdefault(content, {})[attempt.submitted] = attempt
        first.setdefault(content, attempt.graded)
    known = {
        content: {time: attempt for time, attempt in each.items() if time is not None or len(each) == 1}
        for content, each in times.items()
    }
    content_of = {attempt.id: content for content, each in known.items() for attempt in each.values()}
    ordered = in_submission_order(attempt for each in known.values() for attempt in each.values())
    contents = [content_of[attempt.id] for attempt in ordered]
    return [
        (replace(attempt, graded=first[content]), verdicts[content])
        for attempt, content in zip(ordered, contents, strict=True)
    ]


def choose(candidates: Sequence[CandidateAttempt], counts: CountingAttempt) -> CandidateAttempt:
    """The candidate that counts for a lesson. `candidates` are at least one, in the order of submission.

    "best": the one with the largest share of its maximum; of equal ones the least late, and then the last. "last": the
    last. "last on time": the last on time, or the last where none is; where a student has had several due dates, the
    best of what each of them gives.
    """
    if counts == "last":
        return candidates[-1]
    if counts == "last on time":
        newest_first, dates = candidates[::-1], range(len(candidates[0].on_time_for))
        candidates = [next((e for e in newest_first if e.on_time_for[date]), newest_first[0]) for date in dates]
    return max(candidates, key=lambda each: (round(each.share, DIGITS), -each.delay.days, each.number))
