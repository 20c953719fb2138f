"""Points by hand: each expected number is written as the arithmetic that gives it."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import jsonschema
import pytest
from made_attempts import DAY, DUE, HOUR, attempt, decision, homework, lesson_with, unknown
from made_results import lesson, row
from support import SCHEMA

from grader.commands.live import result_line, what_platforms_say
from grader.gradebook.assignment.attempts import delay_of
from grader.gradebook.assignment.config import LatePolicy
from grader.gradebook.assignment.points import assigned
from grader.gradebook.current import current_results
from grader.publish.export.formats import gradescope_json
from grader.publish.feedback import one_line_summary
from grader.publish.report.classroom import NO_TIME, csv_rows, incomplete, triage
from grader.publish.report.decisions import sentences_about
from grader.results import NotGraded, SubmissionResult
from grader.results.wording import UNKNOWN_TIME

TEN_A_DAY = LatePolicy(percent_per_day=10)
ENVIRONMENT = dict.fromkeys(("torch", "python", "cpu_capability", "platform"), "-")
MINUTES = timedelta(minutes=1)


def score(assignment, attempts, decisions=(), free_days=None):
    found = assigned("Ada", assignment, attempts, decisions, free_days)
    return found.score, found.max_score


def test_without_an_assignment_nothing_changes():
    attempts = [attempt(1, -DAY, lesson_with("03_a", 1, 0)), attempt(2, 9 * DAY, lesson_with("04_b", 1, 1))]
    expected = current_results([each.results for each in reversed(attempts)])
    assert assigned("Ada", None, attempts) == expected
    assert assigned("Ada", None, attempts[:1]) is attempts[0].results


def test_only_the_assignment_s_rows_count_with_their_weights():
    assignment = homework({"03_a": 1}, worth=3)
    assert score(assignment, [attempt(1, -DAY, lesson_with("03_a", 0.5, 1), lesson_with("09_x", 1))]) == (0.5 * 3, 3)


def test_points_are_rounded_and_the_total_is_that_of_exact_points():
    """Three lessons of 100 / 3 points: full marks are 100, not 99.99."""
    for decimals, part, third in [(None, 33.333333, 11.111111), (2, 33.33, 11.11), (0, 33, 11)]:
        assignment = homework({"03_a": 3, "04_b": 3, "05_c": 3}, worth=100 / 9, round=decimals)
        lessons = [lesson_with(name, 1, 1, 1) for name in assignment.rows]
        found = assigned("Ada", assignment, [attempt(1, -DAY, *lessons)])
        assert (found.score, found.max_score) == (100, 100)
        assert {(each.score, each.max_score) for each in found.lessons} == {(part, part)}
        assert {each.points for each in found.rows()} == {third}


def test_a_lesson_that_was_never_submitted_is_missing():
    found = assigned("Ada", homework(), [attempt(1, -DAY, lesson_with("03_a", 1, 1))])
    assert (found.score, found.max_score) == (2, 2 + 2)
    assert [(each.name, each.status) for each in found.lessons] == [("03_a", "graded"), ("04_b", "missing")]


def test_percent_per_day_with_a_grace_period_and_a_floor():
    for late, kept in [
        (timedelta(), 1),
        (timedelta(seconds=59, microseconds=999_999), 1),  # the due minute
        (15 * MINUTES + timedelta(seconds=59), 1),  # the grace period, to the end of its last minute
        (16 * MINUTES, 0.9),  # and then a day has begun at the due date
        (DAY, 0.9),
        (DAY + timedelta(seconds=59), 0.9),
        (DAY + MINUTES, 0.8),
        (2 * DAY, 0.8),
        (3 * DAY, 0.7),
        (30 * DAY, 0.5),  # the floor
        (-DAY, 1),
        (None, 1),  # nobody knows
    ]:
        policy = LatePolicy(percent_per_day=10, keep_at_least=50)
        assignment = homework({"03_a": 2}, worth=5, late=policy, grace=15 * MINUTES)
        assert score(assignment, [attempt(1, late, lesson_with("03_a", 1, 1))]) == (pytest.approx(10 * kept), 10)


def test_what_lateness_says():
    assignment = homework({"03_a": 2}, worth=5, late=TEN_A_DAY)
    found = assigned("Ada", assignment, [attempt(1, DAY + HOUR, lesson_with("03_a", 1, 1))])
    late = found.lessons[0].late
    assert (late.seconds, late.days, late.free_days, late.kept_percent, late.cost) == (25 * 3600, 2, 0, 80, 2)
    assert found.late == late
    before_it_was_due = assigned("Ada", assignment, [attempt(1, None, lesson_with("03_a", 1, 1))])
    assert (before_it_was_due.late, before_it_was_due.score) == ((False, 0, 0, 0, 100, 0), 10)


def test_a_hard_deadline():
    policy = LatePolicy(hard_deadline=DUE + DAY)
    assignment = homework({"03_a": 1}, late=policy)
    for late, points in ((HOUR, 1), (DAY, 1), (DAY + timedelta(seconds=59), 1), (DAY + MINUTES, 0)):
        assert score(assignment, [attempt(1, late, lesson_with("03_a", 1))]) == (points, 1)
    free = homework({"03_a": 1}, late=LatePolicy(percent_per_day=10, free_days=5, hard_deadline=DUE))
    assert score(free, [attempt(1, HOUR, lesson_with("03_a", 1))]) == (0, 1)  # free days do not move it
    extended = [decision(1, "extension", until=DUE + 3 * DAY)]
    assert score(assignment, [attempt(1, 3 * DAY, lesson_with("03_a", 1))], extended) == (1, 1)


def test_days_are_calendar_days_also_when_the_clocks_change():
    for zone, due, submitted, days in [
        ("Europe/Zurich", "2026-10-24T12:00", "2026-10-25T12:00", 1),  # 25 hours later
        ("Europe/Zurich", "2026-10-24T12:00", "2026-10-25T12:01", 2),
        ("Europe/Zurich", "2026-03-28T20:00", "2026-03-29T20:00:59", 1),  # 23 hours later
        ("Europe/Zurich", "2026-03-28T20:00", "2026-03-29T20:30", 2),
        ("America/New_York", "2026-10-31T20:00", "2026-11-01T19:30", 1),
        ("America/New_York", "2026-10-31T20:00", "2026-11-30T20:00", 30),
        ("Australia/Lord_Howe", "2026-04-04T20:00", "2026-04-05T20:00", 1),  # half an hour
        ("Australia/Lord_Howe", "2026-10-03T20:00", "2026-10-04T20:01", 2),
        ("Asia/Kathmandu", "2026-10-31T20:00", "2026-11-01T20:00", 1),
    ]:
        due, submitted = (datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)) for text in (due, submitted))
        found = delay_of(submitted.astimezone(UTC), due, timedelta(), LatePolicy(), None)
        assert found.days == days and found.by == (submitted.astimezone(UTC) - due.astimezone(UTC)) // MINUTES * MINUTES
        extended = [due + number * DAY for number in (days - 1, days)]  # so many free days do what an extension does
        assert [delay_of(submitted, due, timedelta(), LatePolicy(), each).days for each in extended] == [1, 0]
        in_another_zone = [each.astimezone(UTC) for each in extended]
        assert [delay_of(submitted, due, timedelta(), LatePolicy(), each).days for each in in_another_zone] == [1, 0]


def test_a_due_time_includes_the_minute_or_second_that_it_names():
    for due, submitted, seconds in [
        ("23:59:00", "23:59:59.999999", 0),
        ("23:59:00", "00:00:10", 60),  # a page shows 23:59 and 00:00
        ("23:59:30", "23:59:30.5", 0),
        ("23:59:30", "23:59:31", 1),
        ("23:59:30.5", "23:59:30.6", 1),
    ]:
        day = "2026-11-21T" if submitted < "12" else "2026-11-20T"
        due, submitted = (datetime.fromisoformat(f"{each}+01:00") for each in ("2026-11-20T" + due, day + submitted))
        found = delay_of(submitted, due, timedelta(), LatePolicy(), None)
        assert (math.ceil(found.by.total_seconds()), found.days) == (seconds, bool(seconds))


def test_a_platform_s_record_is_not_contradicted_in_silence():
    for platform, late, days_extended, here in [
        ("on time", MINUTES, 0, "late"),
        ("on time", -HOUR, 0, None),
        ("late", MINUTES, 0, None),
        ("late", -HOUR, 0, "on time"),
        ("late", MINUTES, 1, None),  # a person has decided
        ("late", None, 0, None),  # nobody knows when
        ("", MINUTES, 0, None),
    ]:
        attempts = [replace(attempt(1, late, lesson_with("03_a", 1)), platform=platform)]
        extended = [decision(1, "extension", until=DUE + days_extended * DAY)] if days_extended else []
        found = assigned("Ada", homework({"03_a": 1}), attempts, extended)
        sentence = (
            f"By the platform's record this work was {platform}; by the due date of this assignment it was {here}."
        )
        assert found.intake == ([("platform", sentence)] if here else None)
        assert (sentence in sentences_about(found)) == bool(here)
        assert [students for students, _ in triage([found])] == ([["Ada"]] if here else [])
        assert len(what_platforms_say([found])) == bool(here)
        jsonschema.validate(found.to_json() | {"environment": ENVIRONMENT}, SCHEMA)


def test_a_deadline_that_never_comes():
    due = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    assert delay_of(DUE, due, timedelta(), LatePolicy(hard_deadline=due), None).days == 0


class Counting(NamedTuple):
    """Attempts at one lesson as (how late, points of its rows); the one that counts, and its score after lateness."""

    counts: str
    attempts: list[tuple[timedelta, tuple[float, ...]]]
    number: int
    score: float
    why: str


THREE = [(-2 * DAY, (1, 1)), (-DAY, (1, 0)), (HOUR, (0, 0))]


def test_which_attempt_counts():
    for counts, attempts, number, points, why in [
        Counting("best", THREE, 1, 2, "best"),
        Counting("last", THREE, 3, 0, "last"),
        Counting("last on time", THREE, 2, 1, "last on time"),
        Counting("last on time", [(HOUR, (1,)), (DAY, (0.5,))], 2, 0.5 * 0.9, "last, none on time"),
        Counting("best", [(-HOUR, (0.95,)), (HOUR, (1,))], 1, 0.95, "best"),  # not 1 * 0.9
    ]:
        made = [attempt(id, late, lesson_with("03_a", *rows)) for id, (late, rows) in enumerate(attempts, 1)]
        found = assigned("Ada", homework({"03_a": len(attempts[0][1])}, counts=counts, late=TEN_A_DAY), made)
        chosen = found.lessons[0].attempt
        assert (chosen.number, chosen.of, found.score, chosen.why) == (number, len(attempts), points, why)


def test_a_missing_time_under_a_due_date_is_unclear():
    """Whoever removes the time of late work has no score until a person decides, whatever else was submitted."""
    for counts in ["last", "best", "last on time"]:
        assignment = homework({"03_a": 2}, late=LatePolicy(percent_per_day=20), counts=counts)
        attempts = [attempt(1, -HOUR, lesson_with("03_a", 1, 0)), unknown(2, lesson_with("03_a", 1, 1))]
        found = assigned("Ada", assignment, attempts)
        assert (found.status, found.score_or_none, found.max_score) == ("unclear", None, 2)
        assert found.lessons[0].late == (False, 0, 0, 0, 0, 2)
        jsonschema.validate(found.to_json() | {"environment": ENVIRONMENT}, SCHEMA)
        assert [(reasons[0][0], students) for students, reasons in triage([found])] == [(NO_TIME, ["Ada"])]
        (header, line), (note,) = csv_rows([found]), incomplete([found])
        cells = dict(zip(header, line, strict=True))
        assert [cells[name] for name in ("03_a", "total", "max", "percent", "late_days", "late_cost")] == [
            *("", "", "2", "", "unknown", "")
        ]
        assert found.shares() == {} and "Ada" in note and "--times" in note
        assert found.lesson_points == {} and found.score_or_none is None
        assert "2 of 2" not in gradescope_json(found) and result_line(found).startswith("Ada: no score yet, unclear: ")
        assert one_line_summary(found).startswith(UNKNOWN_TIME)


def test_a_person_decides_about_a_missing_time():
    for decided in [
        decision(1, "points", "03_a", points=1.5),
        decision(1, "points", None, points=1.5),
        decision(1, "excuse", "03_a"),
        decision(1, "extension", until=DUE + 90 * DAY),
    ]:
        attempts = [unknown(1, lesson_with("03_a", 1, 1))]
        assert assigned("Ada", homework({"03_a": 2}), attempts).status == "unclear"
        assert assigned("Ada", homework({"03_a": 2}), attempts, [decided]).status == "graded"


def test_a_missing_time_decides_nothing_where_it_cannot_matter():
    """Nothing is due; no points; graded before it was due, and graded again after it; the time is known by now."""
    again = {"submission_sha256": "a" * 64}
    whole = lesson_with("03_a", 1, 1)
    for attempts, due, points in (
        ([unknown(1, whole)], None, 2),
        ([unknown(1, lesson_with("03_a", 0, 0))], DUE, 0),
        ([attempt(1, None, whole, **again), unknown(2, whole, **again)], DUE, 2),
        ([unknown(1, whole, **again), attempt(2, -DAY, whole, **again)], DUE, 2),
    ):
        found = assigned("Ada", homework({"03_a": 2}, due=due), attempts)
        assert (found.status, found.score, triage([found]) == []) == ("graded", points, points > 0)


def test_an_attempt_at_an_unknown_time_comes_before_those_that_were_graded_after_it():
    """The first attempt was graded in January 2026 as all are here, and the second was submitted before that."""
    long_before = timedelta(days=-400)
    attempts = [attempt(1, None, lesson_with("03_a", 1)), attempt(2, long_before, lesson_with("03_a", 0.5))]
    found = assigned("Ada", homework({"03_a": 1}), attempts)
    assert (found.score, found.lessons[0].attempt.number) == (0.5, 2)


def test_a_submission_that_was_graded_again_has_its_newest_verdict():
    again = {"submission_sha256": "a" * 64}
    attempts = [
        attempt(1, -DAY, lesson_with("03_a", 1), **again),
        attempt(2, -DAY, lesson_with("03_a", 0.5), **again),
    ]
    found = assigned("Ada", homework({"03_a": 1}, counts="best"), attempts)
    assert (found.score, found.lessons[0].attempt.of) == (0.5, 1)
    failed = attempt(3, -DAY, status="error", not_graded=[NotGraded("03_a", 1)], message="No memory.", **again)
    found = assigned("Ada", homework({"03_a": 1}, counts="best"), [*attempts, failed])
    assert (found.status, found.message, found.score, found.max_score) == ("error", "No memory.", 0, 1)
    assert found.not_graded == [("03_a", 1)]


def test_the_same_file_submitted_again_after_the_due_date_is_late():
    again = {"submission_sha256": "a" * 64}
    attempts = [
        attempt(1, -HOUR, lesson_with("03_a", 1), **again),
        attempt(2, HOUR, lesson_with("03_a", 1), **again),
        attempt(3, None, lesson_with("03_a", 1), **again),  # graded again from a folder that knows no time
    ]
    assert score(homework({"03_a": 1}, late=TEN_A_DAY), attempts) == (0.9, 1)
    assert score(homework({"03_a": 1}, late=TEN_A_DAY, counts="best"), attempts) == (1, 1)


NOTEBOOK = lesson("03_a", row("r0"), row("r1", "missing", points=0, outside_notebook=True))


def test_a_notebook_counts_in_full_unless_the_assignment_says_its_rows():
    attempts = [attempt(1, -DAY, NOTEBOOK)]
    assert score(homework({"03_a": 2}, worth=3), attempts) == (3, 6) and score(None, attempts) == (1, 2)
    found = assigned("Ada", homework({"03_a": 2}, worth=3, notebook="its rows"), attempts)
    assert (found.score, found.max_score, found.lessons[0].rows[1].counted) == (3, 3, False)


def test_the_best_of_a_notebook_and_a_stub_is_the_larger_share():
    attempts = [attempt(1, -DAY, NOTEBOOK), attempt(2, -HOUR, lesson_with("03_a", 1, 0))]
    assert score(homework({"03_a": 2}, counts="best", notebook="its rows"), attempts) == (1, 1)  # not 1 of 2


def test_lateness_takes_nothing_from_points_that_a_person_has_set():
    assignment = homework({"03_a": 2}, late=TEN_A_DAY)
    attempts = [attempt(1, HOUR, lesson_with("03_a", 1, 0))]
    assert score(assignment, attempts, [decision(1, "points", "03_a.r1", points=1)]) == (1 * 0.9 + 1, 2)
    found = assigned("Ada", assignment, attempts, [decision(1, "points", "03_a", points=1.5)])
    assert (found.score, found.lessons[0].adjustment.before, found.late.cost) == (1.5, 0.9, 0)
    found = assigned("Ada", assignment, attempts, [decision(1, "points", None, points=0.25, text="Late, by phone.")])
    assert (found.score, found.adjustment.before, found.adjustment.reason) == (0.25, 0.9, "Late, by phone.")


def test_an_adjustment_survives_a_later_attempt_and_ends_within_the_maximum():
    decisions = [decision(1, "points", "03_a.r1", points=7), decision(2, "points", "03_a.r0", points=-1)]
    attempts = [attempt(1, -DAY, lesson_with("03_a", 1, 0)), attempt(2, -HOUR, lesson_with("03_a", 1, 0))]
    assert score(homework({"03_a": 2}), attempts, decisions) == (0 + 1, 2)


def test_excused():
    attempts = [attempt(1, -DAY, lesson_with("03_a", 1, 0), lesson_with("04_b", 1, 1))]
    excused = assigned("Ada", homework(), attempts, [decision(1, "excuse", "03_a.r1", text="No time in class.")])
    assert (excused.score, excused.max_score) == (1 + 2, 1 + 2)
    assert excused.lessons[0].rows[1].excused.reason == "No time in class."
    excused = assigned("Ada", homework(), attempts, [decision(1, "excuse", "03_a")])
    assert (excused.score, excused.max_score) == (2, 2)
    excused = assigned("Ada", homework(), attempts, [decision(1, "excuse", None, text="Ill.")])
    assert (excused.score, excused.max_score, excused.excused.reason) == (0, 0, "Ill.")
    assert all((each.score, each.max_score, each.excused) == (0, 0, None) for each in excused.lessons)
    nothing = assigned("Ada", homework(), [], [decision(1, "excuse", None)])
    assert (nothing.status, nothing.max_score) == ("nothing", 0)


def test_comments_are_where_they_were_made():
    comments = [
        decision(1, "comment", None, text="Well done."),
        decision(2, "comment", "03_a", text="See page 4."),
        decision(3, "comment", "03_a.r1", text="Nice."),
        decision(4, "comment", None, text="Come by."),
    ]
    found = assigned("Ada", homework({"03_a": 2}), [attempt(1, -DAY, lesson_with("03_a", 1, 0))], comments)
    assert [each.text for each in found.comments] == ["Well done.", "Come by."]
    assert found.comments[0].author == "grace@school.edu"
    assert [each.text for each in found.lessons[0].comments] == ["See page 4."]
    assert [each.text for each in found.lessons[0].rows[1].comments] == ["Nice."]
    assert (found.score, found.max_score) == (1, 2)


def test_an_extension_of_one_lesson():
    attempts = [attempt(1, 2 * DAY, lesson_with("03_a", 1, 1), lesson_with("04_b", 1, 1))]
    extended = [decision(1, "extension", "03_a", until=DUE + 2 * DAY)]
    found = assigned("Ada", homework(late=TEN_A_DAY), attempts, extended)
    assert found.score == 2 + 2 * 0.8
    assert found.assignment.extended_to == (DUE + 2 * DAY).isoformat()


def test_free_days_cost_nothing_and_are_used_only_where_they_help():
    policy = LatePolicy(percent_per_day=20, free_days=3)
    assignment = homework(late=policy)
    late = [attempt(1, 2 * DAY, lesson_with("03_a", 1, 1), lesson_with("04_b", 1, 1))]
    assert (assigned("Ada", assignment, late).late.free_days, *score(assignment, late)) == (2, 4, 4)
    assert score(assignment, late, free_days=1) == (4 * 0.8, 4)
    wrong = [attempt(1, 2 * DAY, lesson_with("03_a", 0, 0))]
    assert assigned("Ada", assignment, wrong).late.free_days == 0


def test_a_refused_submission_says_why():
    refused = lesson("03_a", row("r0", "missing", points=0), row("r1", "missing", points=0), status="rejected")
    pdf = attempt(2, -HOUR, refused, status="rejected", message="It is a PDF.")
    earlier = attempt(1, -DAY, lesson_with("03_a", 1, 0))
    last = assigned("Ada", homework({"03_a": 2}), [earlier, pdf])
    assert (last.score, last.status, last.message) == (0, "rejected", "It is a PDF.")
    best = assigned("Ada", homework({"03_a": 2}, counts="best"), [earlier, pdf])
    assert (best.score, best.status, best.message, best.earlier) == (1, "graded", None, ["03_a"])


def test_a_failed_attempt_leaves_the_lesson_open_unless_a_person_decided():
    failed = attempt(2, -HOUR, status="error", not_graded=[NotGraded("03_a", 2)], message="No memory.")
    attempts = [attempt(1, -DAY, lesson_with("03_a", 1, 1), lesson_with("04_b", 1, 0)), failed]
    found = assigned("Ada", homework(), attempts)
    assert (found.status, found.message, found.score, found.max_score) == ("error", "No memory.", 1, 2 + 2)
    assert [each.name for each in found.lessons] == ["04_b"]
    decided = assigned("Ada", homework(), attempts, [decision(1, "points", "03_a", points=2)])
    assert (decided.status, decided.score, decided.max_score) == ("graded", 2 + 1, 4)


def test_results_json_keeps_the_new_fields_and_a_plain_result_has_none():
    attempts = [attempt(1, HOUR, lesson_with("03_a", 1, 0))]
    decisions = [
        decision(1, "points", "03_a.r1", points=0.5, text="because"),
        decision(2, "comment", "03_a.r1", text="so"),
        decision(3, "comment", text="all"),
        decision(4, "excuse", "04_b"),
    ]
    found = assigned("Ada", homework(late=TEN_A_DAY), attempts, decisions)
    assert SubmissionResult.from_text(found.to_text()) == found
    jsonschema.validate(found.to_json(), SCHEMA)
    jsonschema.validate(assigned("Ada", homework(), [], decisions).to_json() | {"environment": ENVIRONMENT}, SCHEMA)
    plain = attempts[0].results.to_json()
    new = {"adjustment", "excused", "late", "attempt", "assignment", "comments"}
    assert not new & {*plain, *plain["lessons"][0], *plain["lessons"][0]["gradients"][0]}
