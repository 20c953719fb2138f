"""Groups of the roster: a submission by any member counts for the group, on every platform; conflicts are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from packaged import other, right

from grader.intake.submissions.finding import FoundSubmissions, find
from grader.intake.submissions.roster import read_roster

LESSON = "04_cross_entropy"
ROSTER = """name,id,group
Ada Okafor,17,Project Group 1
Bo Chen,18,Project Group 1
Cem Kaya,19,project group 1
Dia Rao,20,Project Group 2
Eva Silva,21,
"""
METADATA = """---
submission_1:
  :submitters:
  - :name: Ada Okafor
    :sid: '17'
    :email: ada@example.edu
  :created_at: 2026-11-20 12:00:00.5 +01:00
"""


@pytest.fixture
def found(course, tmp_path) -> Callable[..., FoundSubmissions]:
    """found({place: content}): the class with ROSTER."""

    def look(files: Mapping[str, bytes]) -> FoundSubmissions:
        for place, data in files.items():
            path = tmp_path / "class" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        (tmp_path / "roster.csv").write_text(ROSTER)
        everything = list(course.lessons.values())
        return find([tmp_path / "class"], [course.find("04")], everything, read_roster(Path(tmp_path / "roster.csv")))

    return look


WEAK = b"def dlogits(logits, Yb, n):\n    return 1\n"
CONTENTS = {b"MY_NAME": "other", b"softmax": "right", b"return 1": "weak"}


def present(found: FoundSubmissions) -> dict[str, str]:
    texts = {each.student: each.lessons[LESSON].files["backward.py"] for each in found}
    return {student: next(CONTENTS[c] for c in CONTENTS if c in text) for student, text in texts.items()}


@pytest.mark.parametrize(
    "place",
    [
        "submission_1/backward.py",
        "projectgroup1_12345_67890_backward.py",
        "project-group-1/04_cross_entropy/backward.py",
    ],
)
def test_one_submission_counts_for_all_members(found, place):
    metadata = {"submission_metadata.yml": METADATA.encode()} if place.startswith("submission_1") else {}
    here = found({place: right("04"), **metadata})
    assert present(here) == dict.fromkeys(["Ada Okafor", "Bo Chen", "Cem Kaya"], "right")
    assert here.attendance is not None
    assert [member.name for member in here.attendance.absent] == ["Dia Rao", "Eva Silva"]
    assert here.attendance.disputed == () and set(here.attendance.members) == set(present(here))
    (remark,) = here.remarks
    assert remark.startswith("Project Group 1: the submission of ") and remark.endswith(" and Cem Kaya.")
    notes = {each.student: [remark.kind for remark in each.remarks] for each in here}
    assert notes["Cem Kaya"] == ["group"]
    submitted = {each.submitted.isoformat() if each.submitted else "" for each in here}
    assert submitted == {"2026-11-20T11:00:00+00:00" if metadata else ""}  # never from a disk


def test_different_submissions_of_one_group(found):
    here = found({"Ada Okafor/04/backward.py": right("04"), "Bo Chen/04/backward.py": other("04")})
    assert present(here) == {"Ada Okafor": "right", "Bo Chen": "other"}
    sentence = (
        "Project Group 1 has several submissions: `Ada Okafor` and `Bo Chen`. Each counts for who submitted it. None "
        "counts for Cem Kaya until you say which: remove the others, and run again."
    )
    assert here.remarks == (sentence,)
    assert here.attendance is not None
    assert [(member.name, message) for member, message in here.attendance.disputed] == [("Cem Kaya", sentence)]


def test_nobody_takes_another_group_s_mark(found):
    """A folder with the group's name counts only where no member has a submission."""
    here = found({"Ada Okafor/04/backward.py": right("04"), "Project Group 1/04/backward.py": WEAK})
    assert present(here)["Ada Okafor"] == "right"
    assert "Bo Chen" not in present(here) and "Cem Kaya" not in present(here)
