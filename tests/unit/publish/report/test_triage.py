"""Why a submission has no points, in one line for the instructor."""

from __future__ import annotations

from dataclasses import replace

from made_results import lesson, results, row

from grader.publish.report.classroom import MAX_NOTE_CHARACTERS, triage, zero_reason
from grader.results import IntakeRemark, Lateness, SubmissionResult

LOOP = "It did not return within 10 seconds."


def graded(*statuses: str, message: str | None = None) -> SubmissionResult:
    rows = [row(f"d{number}", status, message=message) for number, status in enumerate(statuses)]
    return results("ada", lesson("04_small", *rows))


def test_why_a_submission_has_no_points() -> None:
    for result, reason in [
        (results("ada", status="nothing"), "No lesson was submitted."),
        (results("ada", status="rejected", message="It is a link."), "It is a link."),
        (results("ada"), "No lesson was submitted."),
        (
            results("ada", lesson("04_small", status="missing", message="No folder 04_small was submitted.")),
            "No folder 04_small was submitted.",
        ),
        (graded("todo", "todo"), "0 of 2 right, 2 to do."),
        (graded("timeout", "timeout", message=LOOP), LOOP),
        (graded("timeout", "failed", "failed", message=LOOP), "0 of 3 right, 3 wrong."),
        (
            replace(graded("passed", "failed"), late=Lateness(True, 3 * 86_400, 3, 0, 0, 2)),
            "1 of 2 right, 1 wrong, 3 days late, −2.",
        ),
    ]:
        assert zero_reason(result) == reason


def test_who_is_late_for_the_platform_and_on_time_for_the_assignment_is_not_listed() -> None:
    marked = replace(graded("passed"), score=1, max_score=1, intake=[IntakeRemark("late", "Canvas marks it as late.")])
    in_time, late = (replace(marked, late=Lateness(True, seconds, 0, 0, 100, 0)) for seconds in (0, 60))
    assert triage([in_time]) == [] and len(triage([late])) == len(triage([marked])) == 1


def test_a_long_reason_is_cut() -> None:
    result = replace(results("ada", status="rejected", message="far  too long " * 100), max_score=1)
    ((_, ((_, reason),)),) = triage([result])
    assert len(reason) <= MAX_NOTE_CHARACTERS and reason.startswith("far too long far") and reason.endswith("...")
