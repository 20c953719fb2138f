"""Rosters: read as spreadsheets write them, joined by what is exact, and told what is merely near."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.people import as_folder, may_be_one_person, name_words
from grader.intake.submissions.roster import Attendance, Member, Roster, RosterError, read_roster, with_unique_names
from grader.intake.submissions.roster_matching import join as join_claims
from grader.publish.report.classroom import NOTHING_SUBMITTED, csv_rows, nothing_submitted
from grader.publish.report.pages import Reporter
from grader.results import AssignmentSummary, Excuse, LessonResult, SubmissionResult


@pytest.fixture
def roster(tmp_path):
    """roster(text or bytes): the roster of that file."""

    def read(content: str | bytes) -> Roster:
        path = tmp_path / "roster.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_roster(path)

    return read


def rows_of(members: Roster) -> list[tuple[str, str, str]]:
    return [(member.name, member.id, member.email) for member in members.members]


ADA = [("Ada Okafor", "17", "ada@example.edu"), ("Amélie Dupont", "18", "")]

# Reading -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        "name,id,email\nAda Okafor,17,ada@example.edu\nAmélie Dupont,18,\n",
        "EMAIL,Name,ID\nada@example.edu,Ada Okafor,17\n,Amélie Dupont,18\n",
        'name;id;email\r\n"Okafor, Ada";17;ada@example.edu\r\n\r\n"Dupont, Amélie";18\r\n',
        "﻿Full name\tID number\tE-mail\tGroup\nAda Okafor\t17\tada@example.edu\tA\nAmélie Dupont\t18\t\tB\n",
        "First name,Last name,SID,Email address\nAda,Okafor,17,ada@example.edu\nAmélie,Dupont,18,\n",
        'Student,ID,E-mail\n"    Points Possible",,\n"Okafor, Ada",17,ada@example.edu\n"Dupont, Amélie",18,\n;;,,\n',
        "sep=;\nname;id;email\nAda Okafor;17;ada@example.edu\nAmélie Dupont;18;\n",
        '"sep=|",,\r\nname|id|email\r\n"Okafor, Ada"|17|ada@example.edu\r\n"Dupont, Amélie"|18|\r\n',
        "SEP=\t\nname\tid\temail\nAda Okafor\t17\tada@example.edu\nAmélie Dupont\t18\t\n",
        "sep=;\nname,id,email\nAda Okafor,17,ada@example.edu\nAmélie Dupont,18,\n",  # saved again, with commas
        'name,id,email\n"Ada Okafor","17","ada@example.edu"\n" Amélie Dupont ", 18 ,""\n,,\n',
    ],
)
def test_as_spreadsheets_write_it(roster, content):
    found = rows_of(roster(content))
    assert found[:2] == ADA and [name for name, _, _ in found[2:]] in ([], [";;"])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("first", ["", "sep=;\r\n"])
def test_in_whatever_letters(roster, first, encoding):
    text = f"{first}name;id;email\nAda Okafor;17;ada@example.edu\nAmélie Dupont;18;\n"
    assert rows_of(roster(text.encode(encoding))) == ADA


def test_moodle_hides_identities(roster):
    """Its worksheet then has no other column that says who it is."""
    found = roster("Identifier,Status,Grade\nParticipant 207,Submitted for grading,-\n")
    assert [(each.student, each.name, each.id) for each in found.members] == [("Participant 207",) * 3]
    submitted = Arrival("Participant 207", Path("x"), marks=("207", "Participant 207"))
    assert list(join_claims(found, [submitted]).owned) == ["Participant 207"]


def test_other_columns_are_kept(roster):
    found = roster("Section,name,Note (private),id\nA,Ada,likes; semicolons,1\n")
    assert found.columns == ("Section", "name", "Note (private)", "id")
    assert found.members[0].line == {"Section": "A", "name": "Ada", "Note (private)": "likes; semicolons", "id": "1"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "needs a first line that names its columns (id, name, email); it is empty."),
        ("17,Ada\n", "needs a first line that names its columns (id, name, email); its first line has 17, Ada."),
        ("id,email\n1,a@b.c\n", "its first line has id, email."),
        ("name\n\n", "has a header and no student below it."),
        ("name,id\nAda,1\nBo,1\n", "has the id 1 twice: which line is meant?"),
        ("name,email\nAda,a@b.c\nBo,A@B.c\n", "has the email a@b.c twice: which line is meant?"),
    ],
)
def test_what_cannot_be_used_is_a_sentence(roster, content, sentence):
    with pytest.raises(RosterError) as refused:
        roster(content)
    assert str(refused.value).endswith(sentence)


def test_a_roster_that_is_not_there(tmp_path):
    with pytest.raises(
        RosterError, match=r"cannot be read: No such file or directory\. Give the class's list as CSV\."
    ):
        read_roster(tmp_path / "nowhere.csv")
    with pytest.raises(RosterError, match=r"cannot be read: Is a directory"):
        read_roster(tmp_path)


def test_students_of_one_name_are_told_apart(roster):
    found = roster("name,id,email\nEva Silva,1,\neva silva,,eva@x.edu\nEVA SILVA,,\nBo,2,\nindex/..,3,\n")
    assert [member.student for member in found.members] == [
        "Eva Silva (1)",
        "eva silva (eva@x.edu)",
        "EVA SILVA (3)",
        "Bo",
        "index",
    ]
    assert found.member("Bo") == found.members[3] and found.member("Eva Silva") is None


@given(some.binary(max_size=200) | some.text(max_size=200).map(lambda text: f"name,id\n{text}".encode()))
def test_whatever_the_file_holds(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(content)
    try:
        found = read_roster(path)
    except RosterError as error:
        assert str(error).endswith((".", "?"))
        return
    students = [member.student for member in found.members]
    assert len({student.casefold() for student in students}) == len(students)
    assert all(student == as_folder(student) and "/" not in student for student in students)


# Joining -------------------------------------------------------------------------------------------------------------


def members(*people: str) -> Roster:
    """Of "name|id|email|submission"."""
    cells = [(person + "|||").split("|")[:4] for person in people]
    named = with_unique_names([Member(name, name, *rest) for name, *rest in cells])
    return Roster(tuple(named), ("name", "id", "email"))


def join(roster, students):
    """Of {name: marks}: what the roster says, as {name: member}, and the rest."""
    joined = join_claims(roster, [Arrival(name, Path(name), marks=tuple(marks)) for name, marks in students.items()])
    owners = {each.student: roster.member(member) for member, owned in joined.owned.items() for each in owned}
    return SimpleNamespace(
        members=owners,
        absent=joined.absent,
        disputed=joined.disputed,
        remarks=joined.remarks,
    )


CLASS = members("Ada Okafor|17|ada@x.edu", "Amélie Dupont-Léger|18", "Łukasz Żółw|19", "Bo Chen|20||bchen")


@pytest.mark.parametrize(
    ("handed_in_as", "name"),
    [
        *(("Ada Okafor", "Ada Okafor"), ("ADA OKAFOR", "Ada Okafor"), ("ada-okafor", "Ada Okafor")),
        *(("Okafor, Ada", "Ada Okafor"), ("okaforada", "Ada Okafor"), ("okafor_ada", "Ada Okafor")),
        *(("17", "Ada Okafor"), ("ADA@X.EDU", "Ada Okafor"), ("Amelie Dupont-Leger", "Amélie Dupont-Léger")),
        *(("dupontlégeramélie", "Amélie Dupont-Léger"), ("Ame\u0301lie Dupont Léger", "Amélie Dupont-Léger")),
        *(("lukasz zolw", "Łukasz Żółw"), ("BChen", "Bo Chen"), ("chenbo", "Bo Chen")),
    ],
)
def test_what_is_exact_is_joined(handed_in_as, name):
    joined = join(CLASS, {handed_in_as: ()})
    assert joined.members[handed_in_as].name == name and joined.remarks == ()
    assert [member.name for member in joined.absent] == [m.name for m in CLASS.members if m.name != name]


@pytest.mark.parametrize("name", ["backward - Ada Okafor", "hw - 2 - Okafor, Ada", "Ada Okafor - backward"])
def test_a_form_adds_who_uploads_to_the_name_of_the_file(name):
    """Google Forms writes the name last, Dropbox first. A student chooses the rest, so two names are nobody's."""
    assert join(CLASS, {name: ()}).members[name].id == "17"
    assert join(CLASS, {f"{name} - Bo Chen": (), name.replace(" - ", "-"): ()}).members == {}


def test_a_part_of_a_name_that_the_roster_has_is_nobody_s():
    """Anna - Maria Silva is not Anna, even where two are called so."""
    one, two, three = "Anna|1", "Anna - Maria Silva|2", "Anna - Maria Silva|3"
    assert join(members(one, two), {"Anna - Maria Silva": ()}).members["Anna - Maria Silva"].id == "2"
    assert join(members(one, two, three), {"Anna - Maria Silva": ()}).members == {}


def test_ids_and_addresses_that_a_platform_tells_are_exact():
    joined = join(CLASS, {"someone": ("99", "ada@X.edu"), "Amélie D.": ("18",), "no one": ("77",)})
    assert {student: member.id for student, member in joined.members.items()} == {"someone": "17", "Amélie D.": "18"}
    worksheet = members("Ada Okafor|Participant 5", "Bo Chen|Participant 6")
    assert join(worksheet, {"Participant 6": ("6", "Participant 6")}).members["Participant 6"].name == "Bo Chen"


def test_a_number_of_the_platform_s_own_is_not_another_student_s_id():
    joined = join(CLASS, {"Bo Chen": ("17",), "Kim Lee": ("19",)})
    assert {student: member.id for student, member in joined.members.items()} == {"Bo Chen": "20"}
    two = members("Eva Silva|24", "Eva Silva|25")
    assert join(two, {"silvaeva": ("25",)}).members["silvaeva"].id == "25"


@pytest.mark.parametrize(
    ("handed_in_as", "guess"),
    [
        ("amélie-d", "Amélie Dupont-Léger (id 18)"),
        ("Ada", "Ada Okafor (id 17)"),
        ("ada okafr", "Ada Okafor (id 17)"),
        ("Ada M. Okafor", "Ada Okafor (id 17)"),
        ("zolw-l", "Łukasz Żółw (id 19)"),
    ],
)
def test_what_is_near_is_told_and_not_joined(handed_in_as, guess):
    joined = join(CLASS, {handed_in_as: ()})
    assert joined.members == {} and len(joined.absent) == 4
    assert joined.remarks == (
        f"`{handed_in_as}` may be {guess}: add to the roster a column `submission`, with that name in its line, to "
        "confirm.",
    )


def test_who_has_handed_in_is_no_guess_any_more():
    joined = join(CLASS, {"Ada Okafor": (), "ada": (), "kim": ()})
    assert list(joined.members) == ["Ada Okafor"]
    assert joined.remarks == tuple(
        f"`{name}` is not in the roster; it is graded under that name." for name in ("ada", "kim")
    )


def test_a_name_in_turned_order_is_not_another_s():
    """Li Chen and Chen Li are two people; each is found by the order that is theirs."""
    both = members("Li Chen|1", "Chen Li|2")
    joined = join(both, {"li chen": (), "chen-li": ()})
    assert {student: member.id for student, member in joined.members.items()} == {"li chen": "1", "chen-li": "2"}


def test_what_two_share_is_nobody_s():
    both = members("Eva Silva|1", "Éva Silva|2")
    joined = join(both, {"eva silva": ()})
    assert joined.members == {} and "may be Eva Silva (id 1) or Éva Silva (id 2)" in joined.remarks[0]


def test_the_confirmed_name_goes_before_all_others():
    joined = join(members("Ada Okafor|1", "Bo Chen|2||ada-okafor"), {"ada-okafor": ()})
    assert joined.members["ada-okafor"].id == "2"


@given(some.text(max_size=20), some.text(max_size=20))
def test_near_is_the_same_from_both_sides_and_never_breaks(one, other):
    assert may_be_one_person(one, other) == may_be_one_person(other, one)
    assert may_be_one_person(one, one) == (any(len(word) >= 1 for word in name_words(one)))


@given(some.text(max_size=300))
def test_a_name_becomes_a_folder_s(name):
    folder = as_folder(name)
    assert folder == as_folder(folder) and folder not in ("", ".", "..") and not set(folder) & set("/\\\0")
    assert len(folder.encode()) <= 240


# What is told of the absent ------------------------------------------------------------------------------------------


def graded(student: str) -> SubmissionResult:
    lesson = LessonResult("04_x", 2, 3)
    return SubmissionResult(student=student, score=2, max_score=3, lessons=[lesson], isolation="strong", seconds=1.0)


def test_the_contract_s_columns_come_first_and_none_stands_there_twice():
    line = {"id": "17", "Student": "Ada Okafor", "TOTAL": "9", "group": "=A1"}
    ada = Member("Ada Okafor", "Ada Okafor", "17", line=line)
    attendance = Attendance({"Ada Okafor": ada}, (), tuple(line))
    assert csv_rows([graded("Ada Okafor"), graded("zoe")], attendance) == [
        ["student", "04_x", "total", "max", "percent", "handed_in", "id", "group"],
        ["Ada Okafor", "2", "2", "3", "66.67", "yes", "17", "'=A1"],
        ["zoe", "2", "2", "3", "66.67", "yes", "", ""],
    ]
    assert csv_rows([graded("zoe")]) == [
        ["student", "04_x", "total", "max", "percent"],
        ["zoe", "2", "2", "3", "66.67"],
    ]


def test_who_submitted_nothing_has_the_assignment_s_maximum(lesson):
    """Not the points that the lesson's rows have without the assignment."""
    present = replace(graded("ada"), max_score=30, assignment=AssignmentSummary("Homework", None, None, "last"))
    attendance = Attendance({}, (Member("Bo", "Bo"),), ())
    pages = dict(Reporter([lesson]).class_pages([present], [lesson], attendance))
    assert [line.split(",")[2:4] for line in pages["grades.csv"].splitlines()] == [
        ["total", "max"], ["2", "30"], ["0", "30"],
    ]  # fmt: skip


def test_the_class_page_says_who_handed_in_nothing_and_does_not_count_them(lesson):
    page = Reporter([lesson]).class_page([graded("ada"), nothing_submitted("Bo <b>", 3)])
    assert f'data-is="{NOTHING_SUBMITTED}"><th scope="row">Bo &lt;b&gt;</th>' in page and "submitted nothing" in page
    assert "<b>has 0</b>: Submitted nothing." in page and "Bo%20" not in page
    assert "<dt>median score</dt><dd>66.7 %</dd>" in page and "– for 1" not in page
    excused = SubmissionResult(
        student="Bo", status=NOTHING_SUBMITTED, excused=Excuse("TA", "2026-11-20", "Ill")
    )  # in no run
    page = Reporter([lesson]).class_page([graded("ada"), excused])
    assert "submitted nothing, excused" in page and "none for 1" not in page and "Bo/" not in page
