"""How late an attempt is, and the share of its points that is left."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from grader.gradebook.assignment.config import LatePolicy

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Delay:
    """How late an attempt is.

    Attributes:
        by: from the student's due date to the submission; zero for an attempt on time.
        days: `by` in days of 24 hours, rounded up.
        is_too_late: whether it came after the hard deadline.
        is_known: whether the time of submission is known.
    """

    by: timedelta = timedelta()
    days: int = 0
    is_too_late: bool = False
    is_known: bool = True


ON_TIME = Delay()


def delay_of(
    submitted: datetime | None, due: datetime | None, grace: timedelta, policy: LatePolicy, extended_to: datetime | None
) -> Delay:
    """Return how late an attempt is.

    An attempt within the grace period is on time; after it, lateness counts from the due date. An extension moves the
    due date, and the hard deadline where that is earlier. An unknown time of submission counts as on time.
    """
    if due is None:
        return ON_TIME
    if submitted is None:
        return Delay(is_known=False)
    own_due = later(due, extended_to)
    by = in_utc(submitted) - in_utc(own_due)
    if by <= max(grace, timedelta()):
        return ON_TIME
    too_late = policy.hard_deadline is not None and in_utc(submitted) > in_utc(later(policy.hard_deadline, extended_to))
    return Delay(by, -(-by // DAY), too_late)


def kept_percent(delay: Delay, policy: LatePolicy, free_days: int) -> float:
    """Return the percent of its points that an attempt keeps, with `free_days` free late days."""
    if delay.is_too_late:
        return 0.0
    days = max(0, delay.days - free_days)
    return max(policy.keep_at_least, 100 - policy.percent_per_day * days)


def later(date: datetime, other: datetime | None) -> datetime:
    return date if other is None or in_utc(other) <= in_utc(date) else other


def in_utc(date: datetime) -> datetime:
    """The same moment in UTC: differences of two times in one zone ignore the change to summer time."""
    return date.astimezone(UTC)


def text_in_zone_of(due: datetime | None, date: datetime | None) -> str | None:
    """A date in ISO format, in the time zone of the due date if there is one."""
    if date is None:
        return None
    return (date if due is None else date.astimezone(due.tzinfo)).isoformat()
