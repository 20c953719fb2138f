"""Which student a name on a command line means."""

from __future__ import annotations

import pytest

from grader.errors import UserError
from grader.gradebook.lookup import ClassNames, UnknownStudent
from grader.intake.submissions.roster import read_roster

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section
"Okafor, Ada",101,4259,ada7,A
"Student, Test",999,,0a1b2c,A
"""
ROSTER = """id,name,email
26,Raj Patel,raj@uni.edu
27,Raj Patel,raj.p@uni.edu
28,Ada Okafor,ada@uni.edu
"""


@pytest.mark.parametrize(
    "earlier", [{}, {"Raj Patel (26)": ["name Raj Patel"]}], ids=["one run", "a run without the roster"]
)
def test_a_name_that_two_students_share_means_neither(earlier, tmp_path):
    """Otherwise `grade adjust "Raj Patel"` changes the score of one of them, and nobody notices."""
    (tmp_path / "roster.csv").write_text(ROSTER)
    students = ["Ada Okafor", "Raj Patel (26)", "Raj Patel (27)"]
    names = ClassNames(students, earlier, read_roster(tmp_path / "roster.csv"))
    for shared in ("Raj Patel", "raj patel"):
        with pytest.raises(UserError) as raised:
            names.find(shared)
        assert str(raised.value) == f"{shared!r} may be 'Raj Patel (26)' or 'Raj Patel (27)': say which."
    for one in ("27", "RAJ.P@uni.edu", "Raj Patel (27)"):
        assert names.find(one) == "Raj Patel (27)"
    assert names.find("ADA OKAFOR") == "Ada Okafor"
    with pytest.raises(UnknownStudent, match=r"no student is called 'Di Wu'; see grades\.csv"):
        names.find("Di Wu")


def test_every_id_in_canvas_s_own_export_names_its_student_and_its_test_student_is_nobody(tmp_path):
    (tmp_path / "roster.csv").write_text(CANVAS)
    roster = read_roster(tmp_path / "roster.csv")
    assert [each.student for each in roster.members] == ["Ada Okafor"]
    for mark in ("101", "4259", "ADA7", "Ada Okafor"):
        assert ClassNames(["Ada Okafor"], {}, roster).find(mark) == "Ada Okafor"
