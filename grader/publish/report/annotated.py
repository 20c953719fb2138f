"""What an assignment and people's decisions say about a student, in sentences and in the columns of grades.csv."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from grader.intake.submissions.arrival import SECONDS_PER_DAY
from grader.results import LessonResult, Row, SubmissionResult, number, points_in_words, points_text
from grader.results.annotations import Adjustment, Comment, DemandedDefence, Excuse, Lateness
from grader.results.wording import UNKNOWN_TIME, count_text

WHY_AN_ATTEMPT_COUNTS = {
    "best": "it is the best one",
    "last": "it is the last one",
    "last on time": "it is the last one on time",
    "last, none on time": "it is the last one, and none was on time",
}
MINUTE, HOUR = 60, 3600


def sentences_about(results: SubmissionResult) -> list[str]:
    """The assignment, lateness, and what was decided about the submission as a whole."""
    found = []
    if results.assignment is not None:
        title, due, extended_to, _ = results.assignment
        found.append(f"Assignment: {title}." + (f" Due on {date_text(due)}." if due else ""))
        if extended_to:
            found.append(f"Your own due date: {date_text(extended_to)}.")
    if results.excused is not None:
        return [
            *found,
            f"You are excused: this assignment does not count. {by(results.excused)}",
            *comment_sentences(results.comments),
        ]
    if results.late is not None:
        found += late_sentences(results.late)
    found += time_sentences(results.lessons)
    found += [remark.message for remark in results.intake or () if remark.kind == "platform"]
    if results.adjustment is not None:
        found.append(adjustment_sentence("the score", results.adjustment))
    return [*found, *comment_sentences(results.comments)]


def sentences_about_lesson(lesson: LessonResult) -> list[str]:
    """Which attempt counts, lateness, and what was decided about the lesson and its rows."""
    found = []
    if lesson.excused is not None:
        found.append(f"This lesson does not count for you. {by(lesson.excused)}")
    if lesson.attempt is not None and lesson.attempt.of > 1:
        submitted = f", of {date_text(lesson.attempt.submitted)}," if lesson.attempt.submitted else ""
        place, of = lesson.attempt.number, lesson.attempt.of
        why = WHY_AN_ATTEMPT_COUNTS.get(lesson.attempt.why, lesson.attempt.why)
        found.append(f"Attempt {place} of {of}{submitted} counts: {why}.")
    if lesson.late is not None and lesson.excused is None:
        found += late_sentences(lesson.late) if lesson.late.cost else []
    if lesson.demanded_defence is not None:
        found.append(defence_sentence(lesson.demanded_defence))
    if lesson.adjustment is not None:
        found.append(adjustment_sentence("this lesson", lesson.adjustment))
    found += comment_sentences(lesson.comments)
    for row in lesson.rows:
        found += sentences_about_row(row)
    return found


def sentences_about_row(row: Row) -> Iterator[str]:
    if row.excused is not None:
        yield f"`{row.name}` does not count for you. {by(row.excused)}"
    if row.adjustment is not None:
        yield adjustment_sentence(f"`{row.name}`", row.adjustment)
    for sentence in comment_sentences(row.comments):
        yield f"On `{row.name}`: {sentence}"


def defence_sentence(demanded: DemandedDefence) -> str:
    """What the student reads about a defence that is missing or was not enough."""
    held = "none is recorded yet" if demanded.result is None else f"the latest had {demanded.result.partition(' (')[0]}"
    cost = f" Without it, this lesson has {points_in_words(demanded.cost)} less." if demanded.cost else ""
    return f"A defence of your code is required, with {demanded.right} of 6 questions right; {held}.{cost}"


def late_sentences(late: Lateness) -> list[str]:
    if not late.is_known:
        return [UNKNOWN_TIME if late.cost else "The time of submission is not known: it counts as on time."]
    if not late.seconds:
        return []
    lateness = f"It was submitted {how_late(late)} late"
    if late.free_days:
        verb = "was" if late.free_days == 1 else "were"
        lateness += f", and {count_text(late.free_days, 'free late day')} of the term {verb} used"
    if not late.cost:
        return [f"{lateness}. That cost no points."]
    return [f"{lateness}. That cost {points_in_words(late.cost)}."]


def time_sentences(lessons: Iterable[LessonResult]) -> list[str]:
    """When attempts were submitted, where a file says so and not the platform."""
    counted = (lesson.attempt for lesson in lessons if lesson.attempt is not None)
    times = dict.fromkeys((each.submitted, each.time_source) for each in counted if each.submitted and each.time_source)
    return [f"Submitted on {date_text(submitted)}, by {source}." for submitted, source in times]


def adjustment_sentence(what: str, adjustment: Adjustment) -> str:
    before = points_text(adjustment.before)
    after = f"{adjustment.author} set {what} to {points_in_words(adjustment.points)}; before, it was {before}."
    return f"{after} {reason(adjustment.reason)}".strip()


def by(excuse: Excuse) -> str:
    return f"Decided by {excuse.author}. {reason(excuse.reason)}".strip()


def reason(text: str) -> str:
    return f"Reason: {text}" if text else ""


def comment_sentences(comments: Sequence[Comment] | None) -> list[str]:
    return [f"{comment.author} writes: {comment.text}" for comment in comments or ()]


def date_text(date: str) -> str:
    """A date in ISO format as people write it: `Friday 20 November 2026, 23:59 (UTC+01:00)`. Seconds only if not 0."""
    read = datetime.fromisoformat(date)
    seconds = f"{read::%S}" if read.second else ""
    return f"{read:%A} {read.day} {read:%B %Y, %H:%M}{seconds} ({read.tzname() if read.tzinfo else 'local time'})"


def how_late(late: Lateness) -> str:
    """The time in words. It agrees with the calendar days that cost points, also where the clocks have changed."""
    return lateness_text(min(max(late.seconds, (late.days - 1) * SECONDS_PER_DAY + 1), late.days * SECONDS_PER_DAY))


def lateness_text(seconds: int) -> str:
    """`40 minutes`, `3 hours`, `2 days and 1 hour`: rounded up to minutes, and above a day to hours."""
    if seconds < HOUR:
        return count_text(-(-seconds // MINUTE), "minute")
    hours = -(-seconds // HOUR)
    days, hours = divmod(hours, 24)
    parts = ([count_text(days, "day")] if days else []) + ([count_text(hours, "hour")] if hours else [])
    return " and ".join(parts)


def short_notes(results: SubmissionResult) -> list[str]:
    """The same in a few words, for the table of the class."""
    if results.excused is not None:
        return ["excused"]
    found = []
    late = results.late
    if late is not None and late.seconds:
        cost = f", −{points_text(late.cost)}" if late.cost else ""
        free = f", {count_text(late.free_days, 'free day')}" if late.free_days else ""
        found.append(f"{how_late(late)} late{cost}{free}")
    elif late is not None and not late.is_known:
        found.append("time unknown")
    if results.assignment is not None and results.assignment.extended_to:
        found.append(f"extended to {datetime.fromisoformat(results.assignment.extended_to):%d %b %H:%M %Z}")
    found += [f"{part.name.split('_')[0]} excused" for part in results.lessons if part.excused is not None]
    for part in results.lessons:
        if (demanded := part.demanded_defence) is not None:
            what = "missing" if demanded.result is None else f"only {demanded.result.partition(' right')[0]} right"
            cost = f", −{points_text(demanded.cost)}" if demanded.cost else ""
            found.append(f"{part.name.split('_')[0]}: defence {what}{cost}")
    found += [
        f"{part.name.split('_')[0]}: attempt {part.attempt.number} of {part.attempt.of}"
        for part in results.lessons
        if part.attempt is not None and part.attempt.number < part.attempt.of
    ]
    if adjustments(results):
        found.append("adjusted")
    if comments(results):
        found.append("commented")
    return found


ANNOTATION_COLUMNS = (
    *("assignment", "due", "late_days", "late_cost", "free_days", "attempts"),
    *("adjustments", "excused", "comments"),
)
"""Those of grades.csv for an assignment, or where there are decisions."""


def is_annotated(results: SubmissionResult) -> bool:
    """Whether an assignment or a person says anything about the student."""
    return bool(results.assignment or results.excused or excuses(results) or adjustments(results) or comments(results))


def csv_columns(results: SubmissionResult) -> list[str]:
    """The cells of COLUMNS."""
    assignment, late = results.assignment, results.late
    due = (assignment.extended_to or assignment.due or "") if assignment else ""
    lateness = [f"{late.days}", f"{number(late.cost)}", f"{late.free_days}"] if late else ["", "", ""]
    if late is not None and not late.is_known:
        lateness = ["unknown", "" if late.cost else "0", f"{late.free_days}"]
    attempts = [
        f"{part.name}: {part.attempt.number} of {part.attempt.of} ({part.attempt.why})"
        for part in results.lessons
        if part.attempt
    ]
    columns = [attempts, adjustments(results), excuses(results), comments(results)]
    return [assignment.title if assignment else "", due, *lateness, *("; ".join(column) for column in columns)]


def adjustments(results: SubmissionResult) -> list[str]:
    return [
        f"{name}: {points_text(each.before)} -> {points_text(each.points)}, {each.author}: {each.reason}"
        for name, part in named_parts(results)
        if (each := part.adjustment) is not None
    ]


def excuses(results: SubmissionResult) -> list[str]:
    """Each row or lesson that is excused; only "total" where everything is."""
    if results.excused is not None:
        return [f"total, {results.excused.author}: {results.excused.reason}"]
    return [
        f"{name}, {part.excused.author}: {part.excused.reason}"
        for name, part in named_parts(results)
        if part.excused is not None
    ]


def comments(results: SubmissionResult) -> list[str]:
    return [
        f"{name}, {each.author}: {each.text}" for name, part in named_parts(results) for each in part.comments or ()
    ]


def named_parts(results: SubmissionResult) -> Iterator[tuple[str, SubmissionResult | LessonResult | Row]]:
    """The submission, its lessons and their rows, each with its name."""
    yield "total", results
    for lesson in results.lessons:
        yield lesson.name, lesson
        for row in lesson.rows:
            yield f"{lesson.name}.{row.name}", row
