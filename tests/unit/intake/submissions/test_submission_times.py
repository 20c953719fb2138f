"""When students submitted: dates as platforms write them, files of times, whose each line is."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as some

from grader.errors import UserError
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.finding import FoundSubmissions, find
from grader.intake.submissions.roster import Attendance, read_roster
from grader.intake.submissions.submission_times import (
    NoZone,
    read_times,
    times_by_student,
    times_in_roster,
)
from grader.intake.submissions.written_times import UnreadableTime, is_day_first, platform_time, read_time

ZURICH = ZoneInfo("Europe/Zurich")
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\r\n"
    'Participant 300001,Ada Okafor,ada@x.edu,"Submitted for grading",,50.00,Yes,'
    '"Saturday, 21 November 2026, 12:59 AM",-,\r\n'
    "Participant 300002,Bo Li,bo@x.edu,No submission,,50.00,Yes,-,-,\r\n"
)
CANVAS = [
    {"user_id": 20_001, "attempt": 2, "submitted_at": "2026-11-21T00:00:00Z", "late": True, "seconds_late": 3660}
    | {"submission_history": [{"submitted_at": "2026-11-20T10:00:00Z"}, {"submitted_at": "2026-11-21T00:00:00Z"}]},
    {"user_id": 20_002, "attempt": None, "submitted_at": None, "late": False, "user": {"name": "Bo Li"}},
    {"user_id": 20_003, "submitted_at": "2026-11-19T00:00:00Z", "user": {"name": "Cy Nowak", "login_id": "cy@x.edu"}},
]


def written(folder: Path, text: str, name: str = "times.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def arrival(student: str, *marks: str, path: str = "", submitted: datetime | None = None) -> Arrival:
    return Arrival(student, Path(path or student), submitted=submitted, marks=marks)


def test_moodle_s_worksheet(tmp_path):
    path = written(tmp_path, WORKSHEET)
    read = read_times(path, ZURICH)
    (time,) = read.times
    assert (time.when, time.place, read.bad, read.zone) == (
        datetime(2026, 11, 21, 0, 59, tzinfo=ZURICH), "times.csv, line 2", (), ZURICH
    )  # fmt: skip
    assert {"participant 300001", "ada@x.edu"} <= {key.lower() for key in time.ids} and time.names == ("Ada Okafor",)
    with pytest.raises(NoZone, match=r"times.csv, line 2 has a time without a time zone.*timezone = .Europe/Zurich"):
        read_times(path, None)
    in_roster = times_in_roster(read_roster(path), ZURICH)
    assert [(each.place, each.when) for each in in_roster.times] == [("times.csv, Ada Okafor", time.when)]


def test_canvas_s_submissions_api(tmp_path):
    path = written(tmp_path, "while(1);" + json.dumps(CANVAS), "times.json")
    read = read_times(path, None)
    assert [(each.ids[0], each.when.day, each.when.tzinfo) for each in read.times] == [
        ("20001", 20, UTC), ("20001", 21, UTC), ("20003", 19, UTC)
    ]  # fmt: skip
    found, sentences = times_by_student(read.times, [arrival("okaforada", "20001"), arrival("nowakcy")])
    assert {who: [time.when.day for time in times] for who, times in found.items()} == {
        "okaforada": [20, 21],
        "nowakcy": [19],
    }
    assert sentences == []


LATENESS = [
    (json.dumps(CANVAS), ["", "late", ""]),
    (json.dumps([{"user_id": 1, "submitted_at": "2026-11-21T00:00:00Z", "late": False}]), ["on time"]),
    (
        json.dumps([{"user_id": 1, "submitted_at": "2026-11-21T00:00:00Z", "late": False, "cached_due_date": None}]),
        [""],
    ),
    (
        "Name,SID,Submission Time,Lateness (H:M:S)\nA,1,2026-11-20 23:59:00 +0100,00:00:00\n"
        "B,2,2026-11-21 00:01:00 +0100,00:02:00\nC,3,2026-11-21 00:01:00 +0100,\n",
        ["on time", "late", ""],
    ),
    ("id,submitted,late\n1,2026-11-20T00:00:00Z,no\n2,2026-11-20T00:00:00Z,True\n", ["on time", "late"]),
]


def test_what_a_platform_says_about_lateness_is_read(tmp_path):
    for text, says in LATENESS:
        assert [each.platform for each in read_times(written(tmp_path, text), None).times] == says


def test_a_roster_s_ids_and_names_find_the_student(tmp_path):
    roster = read_roster(
        written(
            tmp_path, "name,id,email,SIS Login ID\nAda Okafor,1,ada@x.edu,ao\nBo Li,2,bo@x.edu,bl\nCy Li,3,,cl\n", "r"
        )
    )
    members = {each.student: each for each in roster.members}
    text = (
        "email;SIS Login ID;submitted\nADA@x.edu;;2026-11-20 10:00\n;bl;2026-11-20 11:00\nzoe@x.edu;;2026-11-20 12:00\n"
    )
    read = read_times(written(tmp_path, text), ZURICH)
    arrivals = [arrival("Ada Okafor"), arrival("Cy Li")]
    attendance = Attendance(members, (members["Bo Li"],), ())
    found, sentences = times_by_student(read.times, arrivals, attendance)
    assert found.keys() == {"Ada Okafor", "Bo Li"}
    assert sentences == ["times.csv, line 4: nobody here is zoe@x.edu, so the time is not used."]


def test_a_name_that_two_have_and_an_id_of_somebody_else_are_said(tmp_path):
    text = "id,name,submitted\n,Ann Lee,2026-11-20 10:00\n7,Bo Li,2026-11-20 10:00\n7,Ann Lee,2026-11-20 11:00\n"
    read = read_times(written(tmp_path, text), ZURICH)
    people = [arrival("Ann Lee", "7"), arrival("Lee Ann", "8"), arrival("Bo Li", "9")]
    found, sentences = times_by_student(read.times, people)
    assert {who: [each.place for each in times] for who, times in found.items()} == {"Ann Lee": ["times.csv, line 4"]}
    assert sentences == [
        "times.csv, line 2: Ann Lee may be Ann Lee or Lee Ann, so the time is not used.",
        "times.csv, line 3: Bo Li, 7 may be Ann Lee or Bo Li, so the time is not used.",
    ]


def test_a_group_s_line_counts_for_all_members_and_a_roster_does_not_replace_a_platform_s_time(tmp_path):
    read = read_times(written(tmp_path, "name,submitted\nAda,2026-11-20T10:00Z\nZed,2026-11-20T10:00Z\n"), None)
    people = [arrival("Ada", path="a"), arrival("Bo", path="a"), arrival("Zed", submitted=NOON)]
    found = FoundSubmissions(())
    for replaces, zed in ((True, "times.csv, line 3"), (False, "")):
        found.arrivals = [*people]
        assert found.set_times(read.times, replaces) == []
        assert [each.time_source for each in found.arrivals] == ["times.csv, line 2", "times.csv, line 2", zed]
    assert [each.submitted for each in found.arrivals[1:]] == [datetime(2026, 11, 20, 10, tzinfo=UTC), NOON]


WITHOUT_TIMES = {
    "": "it is empty",
    "id,grade\n1,2\n": "needs a first line that names its columns: id, email or name, and submitted; its first",
    "submitted\n2026-11-20 10:00\n": "needs a first line",
    "{": "is no JSON",
    '[{"id": 1}]': "is not the answer of Canvas's submissions API",
}


def test_a_file_without_times_is_one_sentence(tmp_path):
    for text, says in WITHOUT_TIMES.items():
        with pytest.raises(UserError, match=says):
            read_times(written(tmp_path, text), ZURICH)


def test_a_bad_line_is_named_by_its_number(tmp_path):
    text = 'id,submitted\n1,soon\n\n2,"20/11/2026 10:00"\n3,04/05/2026 10:00\n,2026-11-20 10:00\n4,-\n'
    read = read_times(written(tmp_path, text), ZURICH)
    assert [each.when.month for each in read.times] == [11, 5]  # line 4 shows that the day is first
    assert [each.partition(":")[0] for each in read.bad] == ["times.csv, line 2", "times.csv, line 6"]


def test_the_future_is_noted_where_a_submission_is_read(course, tmp_path):
    (tmp_path / "class" / "ada").mkdir(parents=True)
    found = find([tmp_path / "class"], [course.find("04")], [course.find("04")])
    found.set_times(read_times(written(tmp_path, "name,submitted\nada,2062-11-20T23:59:00Z\n"), None).times)
    note = "It is dated in the future, 2062-11-20 23:59 UTC: check the time in times.csv, line 2."
    assert [tuple(remark) for remark in found.read("ada").remarks] == [("future", note)]
    for when, kinds in ((NOON + timedelta(2), ["future"]), (NOON + timedelta(hours=1), []), (None, [])):
        assert [each.kind for each in arrival("ada", submitted=when).noting_the_future(NOON).remarks] == kinds


# Dates with a time -------------------------------------------------------------------------------------------------

EVENING = datetime(2026, 11, 20, 23, 59)
ONE_EVENING = (
    *("2026-11-20 23:59", "2026/11/20 23:59", "2026-11-20T23:59:00", "20.11.2026, 23:59", "20/11/2026 23:59"),
    *("11/20/2026 11:59 PM", "Friday, 20 November 2026, 11:59 PM", "Friday, November 20, 2026, 11:59 PM"),
    *("Freitag, 20. November 2026, 23:59", "vendredi 20 novembre 2026, 23:59", "Nov 20, 2026 at 11:59pm"),
    "viernes, 20 de noviembre de 2026, 11:59 p. m.",
)
OFFSETS = {
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
    for text, offset in OFFSETS.items():
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
        assert platform_time(text) == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert not any(map(platform_time, ("2026-13-41 12:00:00 Z", "yesterday", None, {})))


@given(some.datetimes(datetime(2000, 1, 1), datetime(2099, 12, 31)), some.booleans())
def test_what_is_written_is_read(moment, is_english):
    moment = moment.replace(second=0, microsecond=0)
    text = f"{moment:%A, %d %B %Y, %I:%M %p}" if is_english else f"{moment:%d.%m.%Y %H:%M}"
    assert read_time(text) == moment


@given(some.text(max_size=40))
def test_any_text_is_a_time_or_a_sentence(text):
    try:
        assert isinstance(read_time(text), datetime)
    except UnreadableTime as error:
        assert str(error)
