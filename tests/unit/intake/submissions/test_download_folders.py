"""What platforms give to download, as it is: whose each submission is, what it gets, and what is said of it.

tests/corpus/downloads/README.md says what is in the golden files.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from packaged import packed
from support import GOLDEN, sampled, solution_of

from grader.gradebook.grading.graded import ClassFacts
from grader.intake.submissions.arrival import SubmissionError
from grader.intake.submissions.finding import find
from grader.intake.submissions.roster import read_roster
from grader.lesson.lesson import Course
from grader.publish.report.classroom import csv_rows, with_absent

DOWNLOADS = GOLDEN.parent / "downloads"
NAMES = sorted(path.parent.name for path in DOWNLOADS.glob("*/expected.json"))


def expectation(name: str) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((DOWNLOADS / name / "expected.json").read_text(encoding="utf-8"))
    return expected


def content(course: Course, place: str, what: Any) -> bytes:
    lesson = course.find("02" if "02_small_net" in place else "04")
    if isinstance(what, Mapping):
        ((suffix, inside),) = what.items()
        return packed(f"x.{suffix}", {name: content(course, name, kind) for name, kind in inside.items()})
    right = solution_of(lesson)
    kinds = {
        "right": right,
        "todo": lesson.pristine.read_text(encoding="utf-8"),
        "text": "nothing to grade\n",
        "helper": "from torch.nn.functional import softmax\n",
        "imports a helper": f"from helper import softmax\n{right}",
        "too large": f"{right}\n{'#' * (1 << 20)}",
    }
    return kinds.get(what, what).encode()


def laid_out(course: Course, folder: Path, files: Mapping[str, Any]) -> Path:
    for place, what in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = what.get("is", what) if isinstance(what, dict) else what
        path.write_bytes(content(course, place, kind))
        if isinstance(what, dict) and "time" in what:
            os.utime(path, (what["time"], what["time"]))
    return folder


@pytest.fixture
def graded(course, session_for, tmp_path) -> Callable[..., None]:
    """graded(path, expected): what `grade run` would make of it is exactly what is expected."""

    def check(path: Path, expected: dict[str, Any]) -> None:
        numbers = expected.get("lessons", ["04"])
        roster = None
        if "roster" in expected:
            (tmp_path / "roster.csv").write_text(expected["roster"], encoding="utf-8")
            roster = read_roster(tmp_path / "roster.csv")
        lessons = [course.find(number) for number in numbers]
        found = find([path], lessons, list(course.lessons.values()), roster)
        results = [session_for(*numbers).grade(submission).results for submission in found]
        shown = {each.student: each.message for each in results if each.message}
        assert shown == expected["messages"]
        assert {each.student: each.status for each in results if each.status != "graded"} == (
            expected.get("status", {})
        )
        of_class = [each for each in found.remarks if "is read as a class" in each]  # an archive that no platform made
        assert [each for each in found.remarks if each not in of_class] == expected.get("remarks", [])
        results = with_absent(results, ClassFacts(found.attendance, max_score=3))
        rows = csv_rows(sorted(results, key=lambda each: each.student.lower()), found.attendance)
        assert rows == expected["grades"]

    return check


@sampled("name", NAMES, keep=2)
def test_as_a_folder(course, graded, tmp_path, name):
    expected = expectation(name)
    graded(laid_out(course, tmp_path / expected.get("folder", "submissions"), expected["files"]), expected)


@sampled("name", [name for name in NAMES if expectation(name).get("archive", True)], keep=1)
@pytest.mark.parametrize("root", ["", "assignment_123_export/"])
def test_as_the_archive_that_it_came_in(course, graded, tmp_path, name, root):
    expected = expectation(name)
    laid_out(course, tmp_path / "in" / root, expected["files"])
    archive = Path(shutil.make_archive(str(tmp_path / "submissions"), "zip", tmp_path / "in"))
    graded(archive, expected)


def test_a_student_s_archive_is_no_class(course, tmp_path):
    """Lessons at its top, or in one folder: one submission, even with several lessons in it."""
    for root in ("", "ada/", "ada/exercises/"):
        names = [f"{root}{lesson}/backward.py" for lesson in ("03_makemore_steps", "04_cross_entropy")]
        files = dict.fromkeys([*names, f"{root}README.md"], "right")
        assert [each.student for each in submissions_in_zip(course, tmp_path, files)] == ["all"], root
    for names in (["backward.py", "helper.py"], ["src/backward.py", "data/x.py"], []):
        found = submissions_in_zip(course, tmp_path, dict.fromkeys(names, "right"))
        assert [each.student for each in found] == ["all"]


@pytest.mark.parametrize("file", ["..", ".py", "a\u202eb.py"])
def test_a_file_s_own_name_leads_nowhere(course, tmp_path, file):
    laid_out(course, tmp_path / "in", {f"okaforada_12345_67890_{file}": "right", "chenbo_12346_67891_a.py": "right"})
    bo, ada = find([tmp_path / "in"], [course.find("04")], list(course.lessons.values()))
    assert (bo.student, ada.student) == ("chenbo", "okaforada") and bo.lessons["04_cross_entropy"].present


def submissions_in_zip(course, tmp_path, files):
    (tmp_path / "all.zip").write_bytes(content(course, "all.zip", {"zip": files}))
    return find([tmp_path / "all.zip"], [course.find("04")], list(course.lessons.values()))


@pytest.mark.parametrize("entry", ["../x.py", "/tmp/x.py", "Bo_2_assignsubmission_file_/../../x.py"])
def test_a_class_archive_with_an_entry_outside_is_refused_as_a_whole(course, tmp_path, entry):
    (only,) = submissions_in_zip(
        course, tmp_path, {"Ada_1_assignsubmission_file_/backward.py": "right", entry: "right"}
    )
    assert only.student == "all" and "outside its own folder" in str(only.message)
    assert not [*tmp_path.rglob("x.py")]


def test_one_student_s_submission_that_looks_like_a_class_is_not_one(course, tmp_path):
    """A student chooses what is in a submission that arrives by mail: it must not change the results of others."""
    (tmp_path / "roster.csv").write_text("id,name,email\n1,Ada Okafor,ada@x.org\n2,Bo Li,bo@x.org\n")
    roster = read_roster(tmp_path / "roster.csv")
    names = ("Ada Okafor/04_cross_entropy/backward.py", "Bo Li/04_cross_entropy/backward.py")
    laid_out(course, tmp_path / "late" / "Bo Li", dict.fromkeys(names, "right"))
    (tmp_path / "bo@x.org.zip").write_bytes(content(course, "x.zip", {"zip": dict.fromkeys(names, "right")}))
    canvas = {"okaforada_12345_67890_backward.py": "right", "libo_12346_67891_backward.py": "right"}
    (tmp_path / "2.zip").write_bytes(content(course, "x.zip", {"zip": canvas}))
    for mailed in (tmp_path / "late" / "Bo Li", tmp_path / "bo@x.org.zip", tmp_path / "2.zip"):
        found = find([mailed], [course.find("04")], list(course.lessons.values()), roster)
        assert [each.student for each in found] == ["Bo Li"]
    folder = find([tmp_path / "late"], [course.find("04")], list(course.lessons.values()), roster)
    assert [each.student for each in folder] == ["Bo Li"]
    without = find([tmp_path / "bo@x.org.zip"], [course.find("04")], list(course.lessons.values()))
    assert "bo@x.org.zip is read as a class: `Ada Okafor` and `Bo Li`. If one student sent it" in without.remarks[0]


def test_metadata_that_cannot_be_read_is_a_sentence(course, tmp_path):
    laid_out(course, tmp_path, {"submission_metadata.yml": "a: [", "submission_1/backward.py": "right"})
    with pytest.raises(SubmissionError, match=r"submission_metadata\.yml cannot be read .*: export again"):
        find([tmp_path], [course.find("04")], list(course.lessons.values()))
    (tmp_path / "submission_metadata.yml").write_text("- a list\n", encoding="utf-8")
    with pytest.raises(SubmissionError, match="is not as Gradescope writes it: export again"):
        find([tmp_path], [course.find("04")], list(course.lessons.values()))


# What a name is, and what it is not ----------------------------------------------------------------------------------


NOT_CANVAS_S = [
    ["ada_2026_11_backward.py", "bo_2026_11_backward.py"],
    ["ada_1_100_a.py", "bo_1_101_a.py"],  # two people with one number
    ["Ada_12345_67890_backward.py"],
    ["1ada_12345_67890_backward.py"],
    ["ada_12345_67890_backward.py", "bo.py"],
    ["_12345_67890_backward.py"],
]


def test_names_that_are_not_canvas_s(course, tmp_path):
    for number, names in enumerate(NOT_CANVAS_S):
        laid_out(course, tmp_path / str(number), dict.fromkeys(names, "right"))
        found = find([tmp_path / str(number)], [course.find("04")], list(course.lessons.values()))
        assert not any(each.account for each in found.arrivals), names


# As it is typed ------------------------------------------------------------------------------------------------------


def test_of_several_archives_each_is_one_student_s(course, tmp_path):
    """Else whoever packs a folder with another's name into theirs would be graded under that name."""
    files = {"Bo Chen_1_assignsubmission_file_/backward.py": "right", "Eva_2_assignsubmission_file_/x.py": "text"}
    for name in ("ada.zip", "eve.zip"):
        (tmp_path / name).write_bytes(content(course, name, {"zip": files}))
    everything = list(course.lessons.values())
    for paths in ([tmp_path], [tmp_path / "ada.zip", tmp_path / "eve.zip"]):
        assert [each.student for each in find(paths, [course.find("04")], everything)] == ["ada", "eve"]
    assert [each.student for each in find([tmp_path / "eve.zip"], [course.find("04")], everything)] == [
        "Bo Chen",
        "Eva",
    ]


def test_file_names_of_canvas_say_who_was_on_time_if_they_say_who_was_late(course, tmp_path):
    for mark, says in (("LATE_", {"chenbo": "late", "okaforada": "on time"}), ("", {"chenbo": "", "okaforada": ""})):
        for name in ("okaforada_12345_67890_backward.py", f"chenbo_{mark}12346_67891_backward.py"):
            (tmp_path / f"x{mark}").mkdir(exist_ok=True)
            (tmp_path / f"x{mark}" / name).write_text("def dlogits(logits):\n    return logits\n", encoding="utf-8")
        found = find([tmp_path / f"x{mark}"], [course.find("04")], list(course.lessons.values()))
        assert {each.student: each.platform for each in found} == says


def zip_in_code_page(path: Path, names: Sequence[str], code_page: str) -> Path:
    """A class's zip as Windows packs it: names in a code page, without a word about which."""
    with zipfile.ZipFile(path, "w") as made:
        for number, name in enumerate(names):
            stand_in = chr(ord("A") + number) * len(name.encode(code_page))
            made.writestr(f"{stand_in}/04_cross_entropy/backward.py", "import torch\n")
    data = path.read_bytes()
    for number, name in enumerate(names):
        raw = name.encode(code_page)
        data = data.replace(chr(ord("A") + number).encode() * len(raw) + b"/", raw + b"/")
    path.write_bytes(data)
    return path


def test_names_in_a_zip_that_are_not_in_utf_8_are_a_remark(course, tmp_path):
    """Windows packs names in a code page and does not say which."""
    for code_page, students in {"cp932": ["山田太郎", "表十三", "表一"], "utf-8": ["Amélie", "王小明"]}.items():
        zipped = zip_in_code_page(tmp_path / "class.zip", students, code_page)
        found = find([zipped], [course.find("04")], list(course.lessons.values()))
        if code_page == "utf-8":
            assert [each.student for each in found.arrivals] == students
        else:
            assert len(found.arrivals) == len(students)
            assert any(each.endswith("unpack it and give the folder.") for each in found.remarks)
