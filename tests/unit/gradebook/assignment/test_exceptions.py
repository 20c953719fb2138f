"""Extensions and excused students in a CSV file."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from made_attempts import homework

from grader.errors import UserError
from grader.gradebook.assignment.in_force import not_yet_made
from grader.gradebook.extension_file import read_extensions
from grader.gradebook.lookup import ClassNames
from grader.gradebook.records import Decision

ZURICH = ZoneInfo("Europe/Zurich")
ASSIGNMENT = homework(
    {"03_makemore_steps": 2, "04_cross_entropy": 1}, due=datetime(2026, 11, 20, 23, 59, tzinfo=ZURICH)
)
NOW = datetime(2026, 11, 22, tzinfo=UTC)
STUDENTS = ["Ada", "Bo", "Chen", "Dana"]


@pytest.fixture
def read(tmp_path):
    def decisions(text, assignment=ASSIGNMENT):
        (tmp_path / "late.csv").write_text(text, encoding="utf-8")
        return read_extensions(tmp_path / "late.csv", assignment, ClassNames(STUDENTS, {}), "Grace")

    return decisions


def test_dates_get_the_assignment_s_time_and_zone(read):
    lines, _ = read(
        "student,until,because\nAda,2026-11-25,ill\nBo,2026-11-25 18:00,\nChen,2026-11-25T18:00:00+00:00,\n"
        "Dana,2026-07-01,summer time\n"
    )
    assert [line.until for line in lines] == [
        datetime(2026, 11, 25, 23, 59, tzinfo=ZURICH),
        datetime(2026, 11, 25, 18, 0, tzinfo=ZURICH),
        datetime(2026, 11, 25, 18, 0, tzinfo=UTC),
        datetime(2026, 7, 1, 23, 59, tzinfo=ZURICH),
    ]
    assert lines[3].until.utcoffset() == timedelta(hours=2)
    assert {line.until.tzinfo for line in lines} == {ZURICH}
    assert (lines[0].student, lines[0].text, lines[0].row) == ("Ada", "ill", None)


def test_rows(read):
    for cell, row in [
        ("", None),
        ("03", "03_makemore_steps"),
        ("4", "04_cross_entropy"),
        ("03.r1", "03_makemore_steps.r1"),
    ]:
        ((line,), _) = read(f"name;excused;rows\nAda;yes;{cell}\n")
        assert (line.row, line.until) == (row, None)


def test_each_slip_is_one_sentence(read):
    for text, expected in [
        ("", "it is empty"),
        ("student,because\nAda,ill\n", "expected either a date in `until`, or yes in `excused`"),
        ("until\n2026-11-25\n", "its first line has until"),
        ("student,until\n,2026-11-25\n", "late.csv, line 2: student is empty"),
        ("student,until\n\nAda,25.11.2026\n", "late.csv, line 3: '25.11.2026' is no date; expected one such as"),
        ("student,until,excused\nAda,2026-11-25,yes\n", "expected either a date in `until`, or yes in `excused`"),
        ("student,excused\nAda,perhaps\n", "excused is 'perhaps'; expected yes or no"),
        (
            "student,excused,rows\nAda,yes,99\n",
            "the assignment has no row or lesson '99'; expected LESSON.ROW, a ",
        ),
    ]:
        with pytest.raises(UserError) as raised:
            read(text)
        assert "late.csv" in str(raised.value) and expected in str(raised.value)


def test_without_a_due_date_nothing_can_be_extended(read):
    with pytest.raises(UserError, match="has no due date"):
        read("student,until\nAda,2026-11-25\n", homework(due=None))


def test_lines_become_decisions_and_the_same_file_adds_none(read):
    text = "student,until,excused,because\nAda,2026-11-25,,ill\nBo,,yes,left\nZoe,,yes,\n"
    decisions, unknown = read(text)
    assert [(each.student, each.kind, each.text, each.author) for each in decisions] == [
        ("Ada", "extension", "ill", "Grace"),
        ("Bo", "excuse", "left", "Grace"),
    ]
    assert len(unknown) == 1 and "line 4: no student 'Zoe'" in unknown[0]
    stored = [Decision(**vars(each) | {"id": place, "made": NOW}) for place, each in enumerate(decisions, 1)]
    assert not_yet_made(decisions, stored) == []
    in_another_zone = replace(stored[0], until=stored[0].until.astimezone(UTC))
    assert not_yet_made(decisions, [in_another_zone, stored[1]]) == []
    undone = [*stored, Decision(3, "Bo", "undo", "Grace", NOW, undoes=2)]
    assert not_yet_made(decisions, undone) == decisions[1:]
    assert not_yet_made(decisions, []) == decisions
