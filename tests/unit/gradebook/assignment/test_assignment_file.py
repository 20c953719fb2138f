"""The assignment file: what it may say, and one clear sentence for each slip."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from support import ROOT

from grader.errors import LessonError
from grader.gradebook.assignment.config import parse_assignment, read_assignment
from grader.lesson.lesson import Course

TITLE = 'title = "Homework 2"\n'


@pytest.fixture(scope="module")
def lessons():
    return list(Course(ROOT).lessons.values())


@pytest.fixture(scope="module")
def parse(lessons):
    return lambda text: parse_assignment(text, Path("hw2.toml"), lessons)


def rows_of(assignment):
    return {name[:2]: list(rows) for name, rows in assignment.rows.items()}


def test_a_file_with_everything(parse):
    found = parse(
        """
        title = "Homework 2"
        rows = ["04", {rows = "03.dprobs", weight = 2}, {rows = "05.d*", points = 10}]
        due = 2026-11-20T23:59:00
        timezone = "Europe/Zurich"
        grace_minutes = 15
        counts = "best"
        round = 2
        [late]
        percent_per_day = 10
        keep_at_least = 50
        free_days = 3
        hard_deadline = 2026-12-01T12:00:00Z
        term = ["hw1", "hw3"]
        [settings]
        shape = "broadcast"
        numerical_differentiation = "points"
        """
    )
    assert found.title == "Homework 2"
    assert found.due == datetime(2026, 11, 20, 23, 59, tzinfo=ZoneInfo("Europe/Zurich"))
    assert found.due.utcoffset() == timedelta(hours=1)
    assert (found.grace, found.counts) == (timedelta(minutes=15), "best")
    late = found.late
    assert found.round == 2
    assert (late.percent_per_day, late.keep_at_least, late.free_days, late.term) == (10, 50, 3, ("hw1", "hw3"))
    assert late.hard_deadline == datetime(2026, 12, 1, 12, tzinfo=UTC)
    assert late.hard_deadline.tzinfo == found.due.tzinfo, "its days are those of the assignment's zone"
    assert found.settings == {"shape": "broadcast", "numerical_differentiation": "points"}
    assert found.rows["03_makemore_steps"] == {"dprobs": 2}
    assert sum(found.rows["05_batch_norm"].values()) == pytest.approx(10)


def test_patterns(parse):
    for patterns, expected in [
        ('"03"', {"03": 26}),
        ('"3"', {"03": 26}),
        ('"makemore_steps"', {"03": 26}),
        ('"03_makemore_steps.dprobs"', {"03": 1}),
        ('"03.dbn*"', {"03": 8}),
        ('"0[3-5].dlogits"', {"03": 1, "04": 1}),
        ('"*.dC"', {"03": 1, "06": 1, "07": 1, "16": 1}),
        ('"03.d?"', {"03": 2}),  # dh, dC
        ('"03.dC", "03.dC", "03.dh"', {"03": 2}),
    ]:
        found = rows_of(parse(TITLE + f"rows = [{patterns}]"))
        assert {name: len(rows) for name, rows in found.items()} == expected


def test_the_weight_of_a_row_replaces_its_lesson_s(parse):
    for rows in [
        '[{rows = "03", weight = 2}, {rows = "03.dprobs", weight = 5}]',
        '[{rows = "03.dprobs", weight = 5}, {rows = "03", weight = 2}]',  # rows have precedence over lessons
        '[{rows = "03.dp*"}, {rows = "03.dprobs", weight = 5}, {rows = "0[3]", weight = 2}]',
    ]:
        found = parse(TITLE + f"rows = {rows}").rows["03_makemore_steps"]
        assert (found["dprobs"], found["dlogits"]) == (5, 2)


def test_weight_zero_shows_a_row_without_points(parse):
    found = parse(TITLE + 'rows = ["03", {rows = "03.dC", weight = 0}]')
    assert (found.rows["03_makemore_steps"]["dC"], found.points) == (0, 25)


def test_scaled_to_a_hundred(parse):
    found = parse(TITLE + 'points = 100\nrows = [{rows = "03", points = 3}, {rows = "04", points = 1}]')
    assert sum(found.rows["03_makemore_steps"].values()) == pytest.approx(75)
    assert sum(found.rows["04_cross_entropy"].values()) == pytest.approx(25)


ROWS = TITLE + 'rows = ["03"]\n'
DUE = ROWS + "due = 2026-11-20T23:59:00Z\n"


def test_each_slip_is_one_sentence_with_the_file(parse):
    for text, expected in [
        ('rows = ["03"]', "title is missing"),
        ('title = 3\nrows = ["03"]', "title is 3; expected a text"),
        (TITLE, "rows is missing"),
        (TITLE + "rows = []", "rows is missing"),
        (TITLE + 'rows = "03"', "rows is '03'; expected a list"),
        (TITLE + "rows = [3]", "[rows] entry 1 is 3; expected a text or a table"),
        (TITLE + 'rows = ["03", "99"]', "[rows, entry 2] '99': no lesson matches '99'; there are: 01_chain_rule, "),
        (TITLE + 'rows = ["makemore_step"]', "did you mean 'makemore_steps'?"),
        (TITLE + 'rows = ["03.dprob"]', "no row of 03_makemore_steps matches 'dprob'; did you mean 'dprobs'?"),
        (TITLE + 'rows = ["03.x*"]', "no row of 03_makemore_steps matches 'x*'; "),
        (TITLE + 'rows = [""]', "needs rows"),
        (TITLE + 'rows = [{row = "03"}]', "there is no setting 'row' in [rows, entry 1]; did you mean 'rows'?"),
        (TITLE + "rows = [{weight = 2}]", "[rows, entry 1] needs rows"),
        (TITLE + 'rows = [{rows = "03", weight = -1}]', "[rows, entry 1] weight is -1; expected a number from 0 up"),
        (TITLE + 'rows = [{rows = "03", points = 0}]', "points is 0; expected a number above 0"),
        (TITLE + 'rows = [{rows = "03", points = 1, weight = 1}]', "has a weight and points; give one"),
        (TITLE + 'rows = [{rows = "03", weight = 0}]', "no row has points"),
        (TITLE + 'rows = [{rows = "03", weight = 2}, "0[0-9]"]', "[rows, entry 1] '03' has no effect"),
        (ROWS + "poinst = 3", "there is no setting 'poinst'; did you mean 'points'?"),
        (ROWS + 'due = "2026-11-20"', "due is '2026-11-20'; expected a date and time without quotes"),
        (ROWS + "due = 2026-11-20T23:59:00", "due has no time zone"),
        (ROWS + 'timezone = "Europe/Zurich"', "timezone needs a due date"),
        (ROWS + 'counts = "last on time"', 'counts = "last on time" needs a due date'),
        (
            DUE + 'timezone = "Europe/Zurch"',
            "timezone is 'Europe/Zurch', which is not known; did you mean 'Europe/Zurich'",
        ),
        (DUE + 'timezone = "Europe"', "timezone is 'Europe', which is not known"),
        (DUE + 'timezone = "../../etc"', "timezone is '../../etc', which is not known"),
        (DUE + "grace_minutes = -1", "grace_minutes is -1; expected a number of minutes"),
        (DUE + 'counts = "first"', 'counts is \'first\'; expected "best" or "last"'),
        (DUE + "late = 3", "late is 3; expected a table"),
        (DUE + "[late]\npercent = 10", "there is no setting 'percent' in [late]; did you mean 'percent_per_day'?"),
        (DUE + "[late]\npercent_per_day = 101", "[late] percent_per_day is 101; expected a number from 0 to 100"),
        (TITLE + 'rows = ["04"]\nround = 2.5\n', "round is 2.5; expected a number of decimals, 0 to 6"),
        (DUE + "[late]\nfree_days = 1.5\npercent_per_day = 3", "[late] free_days is 1.5; expected a whole number"),
        (DUE + "[late]\nfree_days = 3", "free_days needs percent_per_day"),
        (DUE + "[late]\nhard_deadline = 2026-11-01T00:00:00Z", "hard_deadline is before due"),
        (DUE + "[late]\nhard_deadline = 2026-12-01T00:00:00", "hard_deadline has no time zone"),
        (DUE + '[late]\nterm = ["hw1"]', "term has 'hw1'; expected names of folders"),
        (DUE + '[late]\npercent_per_day = 1\nfree_days = 3\nterm = ["../hw1"]', "term has '../hw1'"),
        (ROWS + '[settings]\nshape = "loose"', '[settings] shape is \'loose\'; expected "strict" or "broadcast"'),
        ("title = ", "cannot be read"),
    ]:
        with pytest.raises(LessonError) as raised:
            parse(text)
        assert str(raised.value).startswith("hw2.toml")
        assert expected in str(raised.value)


def test_a_file_that_is_missing_or_no_text(tmp_path, lessons):
    with pytest.raises(LessonError, match="cannot be read"):
        read_assignment(tmp_path / "none.toml", lessons)
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LessonError, match="cannot be read"):
        read_assignment(tmp_path / "binary.toml", lessons)
