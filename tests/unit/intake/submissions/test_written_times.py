"""Dates with a time as platforms and spreadsheets write them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.intake.submissions.written_times import UnreadableTime, is_day_first, read_time, seconds_since_1970

EVENING = datetime(2026, 11, 20, 23, 59)
ONE_EVENING = (
    *("2026-11-20 23:59", "2026/11/20 23:59", "2026-11-20T23:59:00", "20.11.2026, 23:59", "20/11/2026 23:59"),
    *("11/20/2026 11:59 PM", "Friday, 20 November 2026, 11:59 PM", "Friday, November 20, 2026, 11:59 PM"),
    *("Freitag, 20. November 2026, 23:59", "vendredi 20 novembre 2026, 23:59", "Nov 20, 2026 at 11:59pm"),
    "viernes, 20 de noviembre de 2026, 11:59 p. m.",
)
ZONES = {
    "2026-11-20T23:59:00Z": 0,
    "2026-11-20 23:59:00 -0800": -8,
    "2026-11-20 23:59:00 UTC": 0,
    "2026-11-20T23:59:00+01:00": 1,
    "20 Nov 2026 23:59 +0100": 1,
}
MONTHS = {
    "martes, 3 de marzo de 2026, 09:05": 3,
    "mardi 3 mars 2026, 09:05": 3,
    "Maandag, 2 maart 2026, 14:02": 3,
    "lundi 1 juin 2026, 9h05": 6,
    "mercredi 1 juillet 2026, 09:05": 7,
    "samedi 1 août 2026, 09:05": 8,
    "Samstag, 1. Mai 2026, 23:59": 5,
    "Montag, 2. März 2026, 09:05": 3,
    "12 dez 2026 10:00": 12,
}
REFUSED = {
    "hello": "is no date with a time",
    "1763683140": "is no date with a time",
    "2026-11-20": "has no time of day",
    "20 November 2026": "has no time of day",
    "2026-13-40 10:00": "is no date in the calendar",
    "2026-02-30 25:00": "is no date in the calendar",
    "Friday, 20 November 2026, 11:59 PM CET": "ends with 'CET'; expected a time zone such as \\+01:00",
    "20 November 2026, 13:59 PM": "is no time",
    "04/05/2026 10:00": "write it as 2026-05-04 or 2026-04-05",
}


def test_what_is_read():
    assert {read_time(text) for text in ONE_EVENING} == {EVENING}
    for text, offset in ZONES.items():
        assert read_time(text) == EVENING.replace(tzinfo=timezone(timedelta(hours=offset))), text
    assert {text: read_time(text).month for text in MONTHS} == MONTHS


def test_what_is_not_certain_is_refused():
    for text, says in REFUSED.items():
        with pytest.raises(UnreadableTime, match=says):
            read_time(text)


def test_other_lines_say_whether_the_day_is_first():
    assert is_day_first(["04/05/2026 10:00", "20/05/2026 10:00"]) is True
    assert is_day_first(["04/05/2026 10:00", "05/20/2026 10:00"]) is False
    assert is_day_first(["04/05/2026 10:00", "20.05.2026 10:00"]) is None
    assert is_day_first(["20/05/2026 10:00", "05/20/2026 10:00"]) is None
    assert read_time("04/05/2026 10:00", True).month == 5


def test_times_as_ruby_writes_them():
    for text in ("2026-03-01 12:00:00 UTC", "2026-03-01T13:00:00+01:00", "2026-03-01 04:00:00.000000000 -08:00"):
        assert seconds_since_1970(text) == 1772366400
    assert [seconds_since_1970(each) for each in ("2026-13-41 12:00:00 Z", "yesterday", None, {})] == [0] * 4


@given(st.datetimes(datetime(2000, 1, 1), datetime(2099, 12, 31)), st.booleans())
def test_what_is_written_is_read(moment, is_english):
    moment = moment.replace(second=0, microsecond=0)
    text = f"{moment:%A, %d %B %Y, %I:%M %p}" if is_english else f"{moment:%d.%m.%Y %H:%M}"
    assert read_time(text) == moment


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_a_sentence(text):
    try:
        assert isinstance(read_time(text), datetime)
    except UnreadableTime as error:
        assert str(error)
