"""What reports, the class page and grades.csv say about an assignment and about decisions."""

from __future__ import annotations

from dataclasses import replace
from datetime import timezone

import pytest
from made_attempts import DAY, DUE, HOUR, attempt, decision, homework, lesson_with, unknown
from made_results import HOSTILE, results

from grader.gradebook.assignment.config import LatePolicy
from grader.gradebook.assignment.points import assigned
from grader.gradebook.grading.graded import GradedSubmission
from grader.gradebook.grading.views import reduced_results
from grader.publish.report.classroom import csv_rows
from grader.publish.report.decisions import (
    annotation_cells,
    sentences_about,
    sentences_about_lesson,
    short_notes,
)
from grader.publish.report.pages import Reporter
from grader.results import Lateness, SubmissionResult
from grader.results.wording import UNKNOWN_TIME, date_text, late_texts

POLICY = LatePolicy(percent_per_day=10, free_days=1)
ATTEMPTS = [
    attempt(1, DAY + HOUR, lesson_with("03_a", 1, 1)),
    attempt(2, 3 * DAY, lesson_with("03_a", 1, 0)),
]
DECISIONS = [
    decision(1, "points", "03_a.r1", points=3, text="The suite was wrong."),
    decision(2, "comment", "03_a.r0", text="Neat."),
    decision(3, "comment", text="Well done."),
    decision(4, "excuse", "04_b", text="Not taught yet."),
]


@pytest.fixture(scope="module")
def ada() -> SubmissionResult:
    assignment = homework({"03_a": 2, "04_b": 1}, worth=5, late=POLICY, counts="best")
    return assigned("Ada", assignment, ATTEMPTS, DECISIONS)


def test_sentences_about_the_assignment(ada):
    assert sentences_about(ada) == [
        "Assignment: Homework. Due on Friday 20 November 2026, 23:59 (UTC).",
        "It was submitted 1 day and 1 hour late, and 1 free late day of the term was used. That cost 0.5 points.",
        "grace@school.edu writes: Well done.",
    ]


def test_sentences_about_lessons(ada):
    assert [sentences_about_lesson(lesson) for lesson in ada.lessons] == [
        [
            "Attempt 1 of 2, of Sunday 22 November 2026, 00:59 (UTC), counts: it is the best one.",
            "It was submitted 1 day and 1 hour late, and 1 free late day of the term was used. That cost 0.5 points.",
            "On `r0`: grace@school.edu writes: Neat.",
            "grace@school.edu set `r1` to 3 points; before, it was 5. Reason: The suite was wrong.",
        ],
        ["This lesson does not count for you. Decided by grace@school.edu. Reason: Not taught yet."],
    ]


def reports_of(found: SubmissionResult) -> tuple[str, str]:
    environment = dict.fromkeys(("python", "torch", "cpu_capability"), "")
    pages = Reporter([]).student_pages(GradedSubmission(replace(found, environment=environment)))
    return pages["report.html"], pages["report.md"]


def test_both_reports_show_them(ada):
    sentences = ["Homework. Due on Friday 20 November 2026", "That cost 0.5 points", "The suite was wrong.", "Neat."]
    for text in reports_of(ada):
        assert [each for each in sentences if each not in text] == []
    assert "# Ada: 7.5 of 10" in text
    assert "Next: submit" not in text  # lesson 04 is excused


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (decision(1, "excuse", text="Ill."), "This assignment does not count for you."),
        (
            decision(1, "points", points=4, text="By phone."),
            "set this assignment to 4 points; before, it was 2. Reason: By phone.",
        ),
        (decision(1, "extension", until=DUE + 5 * DAY), "Your own due date: Wednesday 25 November 2026, 23:59 (UTC)."),
    ],
)
def test_a_decision_about_the_whole(made, expected):
    found = assigned("Ada", homework({"03_a": 2}, worth=2), [attempt(1, None, lesson_with("03_a", 1, 0))], [made])
    assert any(expected in sentence for sentence in sentences_about(found))
    assert all(expected.split(";")[0] in text for text in reports_of(found))


def test_an_excused_student_is_not_asked_to_submit():
    _, text = reports_of(assigned("Ada", homework(), [], [decision(1, "excuse", text="Ill.")]))
    assert text.startswith("# Ada: excused\n") and "Not graded" not in text and "Everything is right" not in text


def test_an_unknown_time_is_said():
    before_it_was_due = assigned("Ada", homework({"03_a": 1}), [attempt(1, None, lesson_with("03_a", 1))])
    assert "The time of submission is not known: it counts as on time." in sentences_about(before_it_was_due)
    found = assigned("Ada", homework({"03_a": 1}), [unknown(1, lesson_with("03_a", 1))])
    assert UNKNOWN_TIME in sentences_about(found) and found.message == UNKNOWN_TIME
    assert short_notes(found) == ["time unknown"]
    _, text = reports_of(found)
    assert text.startswith("# Ada: not decided\n") and ": – of 1\n" in text and "Not graded" not in text


def test_grades_csv_has_columns_for_them(ada):
    bo = assigned("Bo", homework({"03_a": 2, "04_b": 1}), [], [decision(9, "excuse", text="Left.")])
    header, *lines = csv_rows([ada, bo])
    found, excused = (dict(zip(header, line, strict=True)) for line in lines)
    by = "grace@school.edu"
    assert found == {
        **{"student": "Ada", "03_a": "7.5", "04_b": "", "total": "7.5", "max": "10", "percent": "75"},
        **{"assignment": "Homework", "due": "2026-11-20T23:59:00+00:00"},
        **{"late_days": "2", "late_cost": "0.5", "free_days": "1", "attempts": "03_a: 1 of 2 (best)"},
        **{"adjustments": f"03_a.r1: 5 -> 3, {by}: The suite was wrong.", "excused": f"04_b, {by}: Not taught yet."},
        **{"comments": f"total, {by}: Well done.; 03_a.r0, {by}: Neat."},
    }
    assert [excused[name] for name in ("total", "percent", "03_a", "excused")] == ["", "", "", f"total, {by}: Left."]


def test_grades_csv_has_every_digit_of_a_score():
    for score, cell in ((123456.789012, "123456.789012"), (2.9999999996, "3"), (0.1 + 0.2, "0.3")):
        only = replace(lesson_with("03_a", 1), score=score, max_score=2_000_000)
        assert csv_rows([results("Ada", only)])[1][1:4] == [cell, cell, "2000000"]


def test_the_class_page_shows_them(ada):
    bo = assigned("Bo", homework({"03_a": 2, "04_b": 1}), [], [decision(9, "excuse", text="Left.")])
    page = Reporter([]).class_page(reduced_results([ada, bo]))
    assert "Homework · due on Friday 20 November 2026, 23:59 (UTC) · the best attempt counts" in page
    assert "1 day and 1 hour late, −0.5, 1 free day, commented, 03: attempt 1 of 2, adjusted, 04 excused" in page


def test_what_people_write_does_nothing():
    decisions = [
        decision(1, "comment", text=HOSTILE),
        decision(2, "points", "03_a.r0", points=1, text=HOSTILE),
        decision(3, "excuse", "03_a.r1", text=HOSTILE),
    ]
    found = assigned("Ada", homework({"03_a": 2}, title=HOSTILE), [ATTEMPTS[0]], decisions)
    assert not any("<script>alert" in text for text in (*reports_of(found), Reporter([]).class_page([found])))
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in csv_rows([found])[1][5:])


def test_a_date_in_words():
    assert date_text("2026-11-01T09:05:00+01:00") == "Sunday 1 November 2026, 09:05 (UTC+01:00)"
    assert date_text("2026-11-01T09:05:07.5+01:00") == "Sunday 1 November 2026, 09:05:07 (UTC+01:00)"


def test_lateness_in_words_agrees_with_the_days_that_it_costs():
    """After a change of the clocks: 20:00 to 19:30 on the next day may be 24.5 hours."""
    for hours, days, expected in (
        *[(24.5, 1, "1 day"), (23.5, 2, "1 day and 1 hour"), (71.5, 3, "3 days")],
        *[(1 / 3600, 1, "1 minute"), (59.1 / 60, 1, "60 minutes"), (1, 1, "1 hour"), (48.1, 3, "2 days and 1 hour")],
    ):
        late = Lateness(True, max(1, int(hours * 3600)), days, 0, 90, 1)
        assert late_texts(late)[0] == f"It was submitted {expected} late. That cost 1 point."


def test_an_own_due_date_names_its_zone():
    late = [decision(1, "extension", until=DUE.astimezone(timezone(5 * HOUR)) + DAY)]
    found = assigned("Ada", homework(), [ATTEMPTS[0]], late)
    assert "extended to 21 Nov 23:59 UTC" in short_notes(found)
    assert annotation_cells(found)["due"] == "2026-11-21T23:59:00+00:00"
