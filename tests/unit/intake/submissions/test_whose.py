"""Whose submission is whose: what one student may choose (a name, a login, a file) decides no other student's mark."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest
from packaged import other, packed, right

from grader.intake.submissions.finding import FoundSubmissions, find
from grader.intake.submissions.roster import read_roster

ANN = "Ann Lee"
CLASS = "name,id,email,submission\nAnn Lee,17,ann@x.edu,alee99\nBob Ray,18,bob@x.edu,bobby\n"
UNCONFIRMED = "name,id,email\nAnn Lee,17,ann@x.edu\nBob Ray,18,bob@x.edu\n"


@pytest.fixture
def graded_as(course, tmp_path) -> Callable[..., tuple[dict[str, str], FoundSubmissions]]:
    """graded_as(files, roster): ({name in the results: where it came from}, what was found)."""

    def build(
        files: Mapping[str, str | bytes], roster: str, folder: str = "submissions"
    ) -> tuple[dict[str, str], FoundSubmissions]:
        for time, (place, content) in enumerate(files.items(), 1):
            path = tmp_path / folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            os.utime(path, (time, time))
        (tmp_path / "roster.csv").write_text(roster, encoding="utf-8")
        found = find(
            [tmp_path / folder],
            [course.find("04")],
            list(course.lessons.values()),
            read_roster(tmp_path / "roster.csv"),
        )
        return {each.student: each.label for each in found.arrivals}, found

    return build


def files_of(*students: str) -> dict[str, str]:
    return {f"{student}/04/backward.py": "x = 1\n" for student in students}


def repositories(*logins: str) -> dict[str, str]:
    """GitHub Classroom's checkouts, the last one the newest."""
    return {f"hw3-{login}/.git/HEAD": "ref" for login in logins} | files_of(*(f"hw3-{login}" for login in logins))


def test_a_student_s_folder_may_be_called_by_an_id_that_is_a_lesson_s_number_too(graded_as, course, tmp_path):
    """There are lessons 17 and 10, but no lesson's folder contains lessons."""
    assert graded_as(files_of("17", "10"), UNCONFIRMED)[0] == {ANN: "17", "10": "10"}
    classes = {("17/04/x.py", "10/04/x.py", "10/05/x.py"): ["10", "17"], ("04/x.py", "10/x.py", "17/y.py"): ["c"]}
    for names, students in classes.items():
        (tmp_path / "c.zip").write_bytes(packed("c.zip", dict.fromkeys(names, b"x = 1\n")))
        found = find([tmp_path / "c.zip"], [course.find("04")], list(course.lessons.values()))
        assert [each.student for each in found.arrivals] == students


# A member with a confirmed submission is matched by nothing weaker ----------------------------------------------------


@pytest.mark.parametrize("login", ["lee-ann", "17", "ＡＮＮ ｌｅｅ"])
def test_a_login_that_is_another_s_name_or_id(graded_as, login):
    """The newest does not count."""
    found_as, found = graded_as(repositories("alee99", login, "bobby", "x"), CLASS)
    assert found_as[ANN] == "hw3-alee99" and found_as["Bob Ray"] == "hw3-bobby" and len(found_as) == 4
    (text,) = [remark for remark in found.remarks if "confirmed" in remark]
    assert " matches Ann Lee (id 17), but `alee99` is confirmed and counts. " in text
    assert "is graded under its own name: find out who submitted it." in text
    assert found.attendance.absent == () and found.attendance.disputed == ()


def test_an_unconfirmed_submission_never_has_a_member_s_name(graded_as):
    """Else its row in grades.csv would be read as the member's."""
    assert graded_as(files_of("Ann Lee", "alee99", "ANN LEE", "Ann Lee-2"), CLASS)[0] == {
        "Ann Lee": "alee99",
        "ANN LEE (not confirmed)": "ANN LEE",
        "Ann Lee (not confirmed)-2": "Ann Lee",
        "Ann Lee-2 (not confirmed)": "Ann Lee-2",
    }


# A conflict is not resolved by date -----------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("ann-lee", "lee-ann"), ("17", "ann@x.edu")])
def test_two_that_match_one_member(graded_as, names):
    found_as, found = graded_as(files_of(*names), UNCONFIRMED)
    assert ANN not in found_as and sorted(found_as.values()) == sorted(names)
    ((member, sentence),) = found.attendance.disputed
    assert member.name == ANN and "none of them counts yet" in sentence
    (text,) = found.remarks
    assert "both match Ann Lee (id 17). None of them counts until you say which" in text
    assert "write one of these names in the line of Ann Lee, in the roster's column `submission`" in text
    assert [each.name for each in found.attendance.absent] == ["Bob Ray"]


def test_the_way_out_of_a_conflict_is_the_column(graded_as):
    files = {**files_of("ann-lee"), "ann-lee.zip": packed("x.zip", {"04/backward.py": b"x = 1\n"})}
    assert ANN not in graded_as(files, UNCONFIRMED)[0]
    found_as, found = graded_as(files, "name,id,submission\nAnn Lee,17,ann-lee.zip\nBob Ray,18,\n")
    assert found_as[ANN] == "ann-lee.zip" and len(found.remarks) == 1


def test_what_matches_two_members_is_nobody_s(graded_as):
    """Two lines confirm one name; or Bob's id is Ann's name, and the folder may be either's."""
    found_as, found = graded_as(repositories("same", "x"), "name,submission\nAnn Lee,same\nBob Ray,SAME\n")
    assert sorted(found_as) == ["same", "x"] and len(found.attendance.absent) == 2
    found_as, found = graded_as(files_of("ann-lee"), "name,id\nAnn Lee,17\nBob Ray,ann-lee\n", "second")
    assert list(found_as) == ["ann-lee"] and len(found.attendance.absent) == 2
    assert "`ann-lee` may be " in found.remarks[0] and " or " in found.remarks[0]


# What the platform wrote, and what its users chose -------------------------------------------------------------------


CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section\n"
    "Ann Lee,9001,s17,alee,A\nBob Ray,9002,s18,bray,A\nCy Ko,9003,s19,cko,A\n"
)


@pytest.mark.parametrize("display_name", ["leeann", "alee"])
def test_a_display_name_in_canvas(graded_as, display_name):
    """Bob calls himself Ann, or by her login; Canvas's number in the roster says whose each file is."""
    files = {"leeann_9001_771_a.py": "x = 1\n", "kocy_9003_772_a.py": "x = 1\n"}
    files[f"{display_name}_9002_773_a.py"] = "x = 1\n"
    found_as, found = graded_as(files, CANVAS)
    assert found_as[ANN].startswith("leeann_9001") and found_as["Cy Ko"].startswith("kocy")
    assert found_as["Bob Ray"] == f"{display_name}_9002_773_a.py"
    assert not found.attendance.disputed


def test_a_display_name_that_is_a_login_confirms_nothing(graded_as):
    """Canvas's export calls the login a user name, but the file names begin with display names."""
    roster = CANVAS.replace("900", "")  # of another Canvas
    found_as, found = graded_as({"leeann_9001_771_a.py": "x = 1\n", "alee_9002_773_a.py": "x = 1\n"}, roster)
    assert sorted(found_as) == ["alee", "leeann"] and [m.name for m, _ in found.attendance.disputed] == [ANN]


def test_two_of_one_name_in_moodle(graded_as):
    """The worksheet has participants' numbers; without them the second is not hidden behind the first's name."""
    files = {f"Ann Lee_{n}_assignsubmission_file_/a.py": f"x = {n}\n" for n in (5, 6)}
    worksheet = "Identifier,Full name\nParticipant 5,Ann Lee\nParticipant 6,Bob Ray\n"
    found_as, found = graded_as(files, worksheet)
    assert found_as == {ANN: "Ann Lee_5_assignsubmission_file_", "Bob Ray": "Ann Lee_6_assignsubmission_file_"}
    assert found.remarks == ()
    found_as, found = graded_as(files, UNCONFIRMED)
    assert sorted(found_as) == ["Ann Lee (not confirmed)", "Ann Lee (not confirmed)-2"]
    assert [member.name for member, _ in found.attendance.disputed] == [ANN]


def test_a_name_with_an_underscore_is_not_left_out_of_a_moodle_download(graded_as):
    names = ("Ann_Lee_5_assignsubmission_file_", "Bob Ray_6_assignsubmission_file_", "Cy Ko_7_assignsubmission_file_")
    found_as, _ = graded_as({f"{name}/a.py": "x = 1\n" for name in names}, UNCONFIRMED)
    assert sorted(found_as) == ["Ann_Lee_5_assignsubmission_file_", "Bob Ray", "Cy Ko"]


METADATA = """---
submission_1:
  :submitters:
  - :name: Ann Lee
    :email: ann@x.edu
  :created_at: 2026-03-01 12:00:00 Z
submission_2:
  :submitters:
  - :name: Bob Ray
    :email: bob@x.edu
  - :name: Ann Lee
    :email: ann@x.edu
  :created_at: 2026-03-02 12:00:00 Z
"""
IN_GROUPS = {"submission_1/a.py": "x = 1\n", "submission_2/b.py": "x = 2\n"}


def test_who_is_added_to_a_group_keeps_their_own_submission(graded_as):
    """Bob adds Ann to his group, after she has submitted."""
    found_as, found = graded_as({"submission_metadata.yml": METADATA, **IN_GROUPS}, UNCONFIRMED)
    assert found_as == {ANN: "submission_1", "Bob Ray": "submission_2"}
    ann = next(each for each in found.arrivals if each.student == ANN)
    assert [each.message for each in ann.remarks] == ["It counts before submission_2, submitted by a group."]


def test_two_groups_are_a_conflict(graded_as):
    ann = "  - :name: Ann Lee\n    :email: ann@x.edu\n"
    metadata = METADATA.replace(ann, ann + "  - :name: Cy Ko\n    :email: c@x.edu\n", 1)
    found_as, found = graded_as({"submission_metadata.yml": metadata, **IN_GROUPS}, UNCONFIRMED)
    assert found_as["Bob Ray"] == "submission_2" and [m.name for m, _ in found.attendance.disputed] == [ANN]


def test_metadata_of_a_student_s_own(graded_as, course, tmp_path):
    """Bob lays a file called submission_metadata.yml and a folder submission_2 into the class's folder, or his own."""
    files = {"submission_metadata.yml": METADATA, "submission_2/b.py": "x = 2\n", **files_of("alee99")}
    assert graded_as(files, CLASS)[0] == {ANN: "alee99", "submission_2": "submission_2"}
    files = {"bobby/submission_metadata.yml": METADATA, "bobby/submission_1/a.py": "x = 2\n", "alee99.py": "x = 1\n"}
    assert graded_as(files, CLASS, "second")[0] == {ANN: "alee99.py", "Bob Ray": "bobby"}
    own = {
        "submission_metadata.yml": METADATA.encode(),
        "submission_1/a.py": b"x",
        "04_cross_entropy/backward.py": b"x",
    }
    (tmp_path / "bob.zip").write_bytes(packed("bob.zip", own))
    (bob,) = find([tmp_path / "bob.zip"], [course.find("04")], list(course.lessons.values()))
    assert bob.student == "bob"


def test_a_folder_inside_of_a_student_s_takes_no_other_s_name(course, tmp_path):
    """`grade run submissions/*`: Bob's folder, first in order, holds two that are called as other students."""
    for place in ("AAA/Ann Lee/x", "AAA/Bo/x", "Ann Lee/04_cross_entropy"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "backward.py").write_text("x = 1\n")
    paths = [tmp_path / "AAA", tmp_path / "Ann Lee"]
    found = find(paths, [course.find("04")], list(course.lessons.values()))
    places = {each.student: each.path.relative_to(tmp_path).as_posix() for each in found.arrivals}
    assert places == {"Ann Lee": "Ann Lee", "Ann Lee-2": "AAA/Ann Lee", "Bo": "AAA/Bo"}
    inside = tmp_path / "AAA" / "Ann Lee"
    assert found.remarks == (f"Two submissions are called `Ann Lee`: that in {inside} is graded as `Ann Lee-2`.",)


# Groups: a submission by any member counts for all of them -----------------------------------------------------------

GROUPS = """name,id,email,group
Ada Okafor,17,ann@x.edu,Project Group 1
Bo Chen,18,,Project Group 1
Cem Kaya,19,,project group 1
Dia Rao,20,,Project Group 2
Eva Silva,21,,
"""
WEAK = b"def dlogits(logits, Yb, n):\n    return 1\n"
CONTENTS = {b"MY_NAME": "other", b"softmax": "right", b"return 1": "weak"}


def present(found: FoundSubmissions) -> dict[str, str]:
    texts = {each.student: each.lessons["04_cross_entropy"].files["backward.py"] for each in found}
    return {student: next(CONTENTS[c] for c in CONTENTS if c in text) for student, text in texts.items()}


@pytest.mark.parametrize(
    "place",
    [
        "submission_1/backward.py",
        "projectgroup1_12345_67890_backward.py",
        "project-group-1/04_cross_entropy/backward.py",
    ],
)
def test_one_submission_counts_for_all_members(graded_as, place):
    metadata = {"submission_metadata.yml": METADATA} if place.startswith("submission_1") else {}
    _, here = graded_as({place: right("04"), **metadata}, GROUPS)
    assert present(here) == dict.fromkeys(["Ada Okafor", "Bo Chen", "Cem Kaya"], "right")
    assert [member.name for member in here.attendance.absent] == ["Dia Rao", "Eva Silva"]
    assert here.attendance.disputed == () and set(here.attendance.members) == set(present(here))
    (remark,) = here.remarks
    assert remark.startswith("Project Group 1: the submission of ") and remark.endswith(" and Cem Kaya.")
    assert [each.kind for each in here.read("Cem Kaya").remarks] == ["group"]
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert {each.submitted for each in here} == {noon if metadata else None}  # never from a disk


def test_different_submissions_of_one_group(graded_as):
    _, here = graded_as({"Ada Okafor/04/backward.py": right("04"), "Bo Chen/04/backward.py": other("04")}, GROUPS)
    assert present(here) == {"Ada Okafor": "right", "Bo Chen": "other"}
    sentence = (
        "Project Group 1 has several submissions: `Ada Okafor` and `Bo Chen`. Each counts for who submitted it. None "
        "counts for Cem Kaya until you say which: remove the others, and run again."
    )
    assert here.remarks == (sentence,)
    assert [(member.name, message) for member, message in here.attendance.disputed] == [("Cem Kaya", sentence)]


def test_nobody_takes_another_group_s_mark(graded_as):
    """A folder with the group's name counts only where no member has a submission."""
    _, here = graded_as({"Ada Okafor/04/backward.py": right("04"), "Project Group 1/04/backward.py": WEAK}, GROUPS)
    assert present(here)["Ada Okafor"] == "right"
    assert "Bo Chen" not in present(here) and "Cem Kaya" not in present(here)
