"""Rosters: read as spreadsheets write them, joined by what is exact; what is merely near is a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from grader.errors import UserError
from grader.gradebook.grading.graded import ClassFacts
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.people import as_folder, may_be_one_person, name_words
from grader.intake.submissions.roster import Attendance, Member, Roster, read_roster, with_unique_names
from grader.intake.submissions.roster_matching import join as join_arrivals
from grader.publish.report.classroom import csv_rows, with_absent
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


ADA = [("Ada Okafor", "17", "ada@example.edu"), ("Amélie Dupont", "18", "")]

# Reading -------------------------------------------------------------------------------------------------------------


def test_as_spreadsheets_write_it(roster):
    for content in [
        "EMAIL,Name,ID\nada@example.edu,Ada Okafor,17\n,Amélie Dupont,18\n",
        'name;id;email\r\n"Okafor, Ada";17;ada@example.edu\r\n\r\n"Dupont, Amélie";18\r\n',
        "\ufeffFull name\tID number\tE-mail\tGroup\nAda Okafor\t17\tada@example.edu\tA\nAmélie Dupont\t18\t\tB\n",
        "First name,Last name,SID,Email address\nAda,Okafor,17,ada@example.edu\nAmélie,Dupont,18,\n",
        'Student,ID,E-mail\n"    Points Possible",,\n"Okafor, Ada",17,ada@example.edu\n"Dupont, Amélie",18,\n,,\n',
        '"sep=|",,\r\nname|id|email\r\n"Okafor, Ada"|17|ada@example.edu\r\n"Dupont, Amélie"|18|\r\n',
        "SEP=\t\nname\tid\temail\nAda Okafor\t17\tada@example.edu\nAmélie Dupont\t18\t\n",
        "sep=;\nname,id,email\nAda Okafor,17,ada@example.edu\nAmélie Dupont,18,\n",  # saved again, with commas
        'name,id,email\n"Ada Okafor","17","ada@example.edu"\n" Amélie Dupont ", 18 ,""\n,,\n',
    ]:
        assert [(each.name, each.id, each.email) for each in roster(content).members] == ADA


def test_in_whatever_letters(roster):
    text = "sep=;\r\nname;id;email\nAda Okafor;17;ada@example.edu\nAmélie Dupont;18;\n"
    for encoding in ("utf-8-sig", "utf-16", "cp1252"):
        assert [(each.name, each.id, each.email) for each in roster(text.encode(encoding)).members] == ADA


UNUSABLE = {
    "": "needs a first line that names its columns: id, name, email; it is empty.",
    "17,Ada\n": "needs a first line that names its columns: id, name, email; its first line has 17, Ada.",
    "name\n\n": "has a header and no student below it.",
    "name,email\nAda,a@b.c\nBo,A@B.c\n": "has the email a@b.c twice: which line is meant?",
}


def test_what_cannot_be_used_is_a_sentence(roster, tmp_path):
    for content, sentence in UNUSABLE.items():
        with pytest.raises(UserError) as refused:
            roster(content)
        assert str(refused.value).endswith(sentence)
    with pytest.raises(UserError, match=r"cannot be read: No such file or directory\. Give the class's list as CSV"):
        read_roster(tmp_path / "nowhere.csv")


def test_students_of_one_name_have_different_names_in_the_results(roster):
    found = roster("name,id,email\nEva Silva,1,\neva silva,,eva@x.edu\nEVA SILVA,,\nBo,2,\nindex/..,3,\n")
    names = ["Eva Silva (1)", "eva silva (eva@x.edu)", "EVA SILVA (3)", "Bo", "index"]
    assert [member.student for member in found.members] == names


@given(some.binary(max_size=200) | some.text(max_size=200).map(lambda text: f"name,id\n{text}".encode()))
def test_whatever_the_file_holds(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(content)
    try:
        found = read_roster(path)
    except UserError as error:
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


def join(roster, *names, **students):
    """Of names, and {name: marks}: the ids that the roster has for them, and the rest."""
    arrivals = [Arrival(name, Path(name)) for name in names]
    arrivals += [Arrival(name, Path(name), marks=tuple(marks)) for name, marks in students.items()]
    joined = join_arrivals(roster, arrivals)
    ids_of = {member.student: member.id for member in roster.members}
    ids = {each.student: ids_of[member] for member, owned in joined.owned.items() for each in owned}
    there = joined.attendance
    return SimpleNamespace(ids=ids, absent=[each.name for each in there.absent], remarks=there.remarks)


CLASS = members("Ada Okafor|17|ada@x.edu", "Amélie Dupont-Léger|18", "Łukasz Żółw|19", "Bo Chen|20||bchen")
EXACT = {
    "17": ("ADA OKAFOR", "ada-okafor", "Okafor, Ada", "okafor_ada", "17", "ADA@X.EDU"),
    "18": ("Amelie Dupont-Leger", "dupontlégeramélie", "Ame\u0301lie Dupont Léger"),
    "19": ("lukasz zolw",),
    "20": ("BChen", "chenbo"),
}
NEAR = {
    "amélie-d": "Amélie Dupont-Léger (id 18)",
    "Ada": "Ada Okafor (id 17)",
    "ada okafr": "Ada Okafor (id 17)",
    "Ada M. Okafor": "Ada Okafor (id 17)",
    "zolw-l": "Łukasz Żółw (id 19)",
}


def test_what_is_exact_is_joined():
    for number, names in EXACT.items():
        for name in names:
            joined = join(CLASS, name)
            assert joined.ids == {name: number} and joined.remarks == ()
            assert joined.absent == [each.name for each in CLASS.members if each.id != number]


def test_what_is_near_is_a_sentence_and_not_joined():
    confirm = "to confirm, write that name in the roster's column `submission`."
    for name, guess in NEAR.items():
        joined = join(CLASS, name)
        assert joined.ids == {} and len(joined.absent) == 4
        assert joined.remarks == (f"`{name}` may be {guess}: {confirm}",)
    joined = join(CLASS, "Ada Okafor", "ada", "kim")  # who has submitted is no guess any more
    assert list(joined.ids) == ["Ada Okafor"]
    nobody = "is not in the roster; it is graded under that name."
    assert joined.remarks == (f"`ada` {nobody}", f"`kim` {nobody}")


def test_a_form_adds_who_uploads_to_the_name_of_the_file():
    """Google Forms writes the name last, Dropbox first. A student chooses the rest, so two names are nobody's."""
    for name in ["backward - Ada Okafor", "hw - 2 - Okafor, Ada", "Ada Okafor - backward"]:
        assert join(CLASS, name).ids == {name: "17"}
        assert join(CLASS, f"{name} - Bo Chen", name.replace(" - ", "-")).ids == {}
    # Anna - Maria Silva is not Anna, even where two are called so
    one, two, three = "Anna|1", "Anna - Maria Silva|2", "Anna - Maria Silva|3"
    assert join(members(one, two), "Anna - Maria Silva").ids == {"Anna - Maria Silva": "2"}
    assert join(members(one, two, three), "Anna - Maria Silva").ids == {}


def test_ids_and_addresses_that_a_platform_gives_are_exact():
    joined = join(CLASS, **{"someone": ("99", "ada@X.edu"), "Amélie D.": ("18",), "no one": ("77",)})
    assert joined.ids == {"someone": "17", "Amélie D.": "18"}
    worksheet = members("Ada Okafor|Participant 5", "Bo Chen|Participant 6")
    assert join(worksheet, **{"Participant 6": ("6", "Participant 6")}).ids == {"Participant 6": "Participant 6"}
    # a number of the platform's own is not another student's id; a student whose name has changed is found by it
    assert join(CLASS, **{"Bo Chen": ("20",), "Kim Lee": ("19",)}).ids == {"Bo Chen": "20", "Kim Lee": "19"}
    assert join(CLASS, **{"Bo Chen": ("17",), "Kim Lee": ("19",)}).ids == {"Bo Chen": "20"}
    assert join(members("Eva Silva|24", "Eva Silva|25"), silvaeva=("25",)).ids == {"silvaeva": "25"}


def test_one_name_and_two_people():
    """Li Chen and Chen Li are two; what Eva and Éva share is nobody's; a confirmed name goes before all others."""
    both = members("Li Chen|1", "Chen Li|2")
    assert join(both, "li chen", "chen-li").ids == {"li chen": "1", "chen-li": "2"}
    joined = join(members("Eva Silva|1", "Éva Silva|2"), "eva silva")
    assert joined.ids == {} and "may be Eva Silva (id 1) or Éva Silva (id 2)" in joined.remarks[0]
    assert join(members("Ada Okafor|1", "Bo Chen|2||ada-okafor"), "ada-okafor").ids == {"ada-okafor": "2"}


@given(some.text(max_size=20), some.text(max_size=20))
def test_near_is_the_same_from_both_sides_and_never_breaks(one, other):
    assert may_be_one_person(one, other) == may_be_one_person(other, one)
    assert may_be_one_person(one, one) == (any(len(word) >= 1 for word in name_words(one)))


@given(some.text(max_size=300))
def test_a_name_becomes_a_folder_s(name):
    folder = as_folder(name)
    assert folder == as_folder(folder) and folder not in ("", ".", "..") and not set(folder) & set("/\\\0")
    assert len(folder.encode()) <= 240


# What pages say of the absent ----------------------------------------------------------------------------------------


def graded(student: str) -> SubmissionResult:
    lesson = LessonResult("04_x", 2, 3)
    return SubmissionResult(student=student, score=2, max_score=3, lessons=[lesson], isolation="strong", seconds=1.0)


def test_the_contract_s_columns_come_first_and_none_is_there_twice():
    line = {"id": "17", "Student": "Ada Okafor", "TOTAL": "9", "group": "=A1"}
    ada = Member("Ada Okafor", "Ada Okafor", "17", line=line)
    attendance = Attendance({"Ada Okafor": ada}, (), tuple(line))
    assert csv_rows([graded("Ada Okafor"), graded("zoe")], attendance) == [
        ["student", "04_x", "total", "max", "percent", "handed_in", "id", "group"],
        ["Ada Okafor", "2", "2", "3", "66.67", "yes", "17", "'=A1"],
        ["zoe", "2", "2", "3", "66.67", "yes", "", ""],
    ]


def test_who_submitted_nothing_has_the_assignment_s_maximum(lesson):
    present = replace(graded("ada"), max_score=30, assignment=AssignmentSummary("Homework", None, None, "last"))
    facts = ClassFacts(Attendance({}, (Member("Bo", "Bo"),), ()), max_score=30)
    pages = dict(Reporter([lesson]).class_pages([present], facts, {}))
    rows = [line.split(",")[2:4] for line in pages["grades.csv"].splitlines()]
    assert rows == [["total", "max"], ["2", "30"], ["0", "30"]]


def test_the_class_page_says_who_submitted_nothing_and_does_not_count_them(lesson):
    absent = ClassFacts(Attendance({}, (Member("Bo <b>", "Bo <b>"),), ()), max_score=3)
    page = Reporter([lesson]).class_page(with_absent([graded("ada")], absent))
    assert '<tr><th scope="row">Bo &lt;b&gt;</th>' in page and "submitted nothing" in page
    assert "<b>has 0</b>: On the roster; submitted nothing." in page and "Bo%20" not in page
    assert "<dt>median score</dt><dd>66.7 %</dd>" in page and "– for 1" not in page
    excused = SubmissionResult(student="Bo", status="nothing", excused=Excuse("TA", "2026-11-20", "Ill"))  # in no run
    page = Reporter([lesson]).class_page([graded("ada"), excused])
    assert "submitted nothing, excused" in page and "none for 1" not in page and "Bo/" not in page
