"""What the gradebook stores of a submission is what was submitted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_gradebook import HANDED_IN, results_for, submission_of
from support import golden_names, lay_out, sampled

from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.store import StoredVerdict
from grader.intake.submissions.finding import find
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course
from grader.typed_json import time_from_text, time_to_text


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Gradebook]:
    with closing(Gradebook(tmp_path / GRADEBOOK)) as made:
        yield made


@sampled("name", golden_names(), keep=4)
def test_a_golden_submission(book, course: Course, tmp_path, name):
    lay_out(name, tmp_path / "class")
    (found,) = find([tmp_path / "class"], list(course.lessons.values()), list(course.lessons.values()))
    again: Submission = book.load_value(Submission, book.store_value(found))
    assert again == found and again.sha256 == found.sha256


zones = st.sampled_from([UTC, ZoneInfo("Europe/Berlin")])
times = st.datetimes(min_value=datetime(2000, 1, 1), timezones=zones, allow_imaginary=False)


@given(times)
def test_a_time_keeps_its_zone(time):
    again = time_from_text(time_to_text(time))
    assert (again, again.utcoffset(), str(again.tzinfo)) == (time, time.utcoffset(), str(time.tzinfo))


def test_what_a_platform_says_about_lateness_is_kept(book):
    submission = replace(submission_of("ada"), platform="on time", time_source="times.json, entry 1")
    attempt = book.add(StoredVerdict("", results_for(submission, 1), None), submission)
    assert book.attempt(attempt).platform == "on time" and book.stale() == []
    book.set_time(attempt, HANDED_IN, "times.json, entry 1", "late")
    assert book.attempt(attempt).platform == "late" and book.stale() == ["ada"]
    later = HANDED_IN + timedelta(minutes=1)
    book.set_time(attempt, later, "mine.csv, line 2")
    found = book.attempt(attempt)
    assert (found.submitted, found.platform) == (later, "late")
