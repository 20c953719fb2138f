"""Classroom 50: its downloads, and result.json, by the contract that its wiki and its schemas describe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from feedback_class import laid_out
from hypothesis import given
from hypothesis import strategies as some
from made_results import every_status, lesson, results, row

from grader.errors import UserError
from grader.intake.submissions.finding import find
from grader.intake.submissions.roster import read_roster
from grader.publish.export.classroom50 import report_to_classroom50, result_for_runner

NOW = datetime(2026, 10, 5, 9, 30, tzinfo=UTC)
RUNNER = {
    "CLASSROOM": "cs-principles",
    "ASSIGNMENT": "hw-1",
    "SUBMISSION_TAG": "submit/2026-10-04T20-00-00Z-a1b2c3d",
    "COMMIT_URL": "https://github.com/o/r/commit/a1b2c3d",
    "RELEASE_URL": "https://github.com/o/r/releases/tag/submit%2F2026",
    "REVIEW_URL": "https://github.com/o/r/compare/0...a1b2c3d",
    "OWNER": "ada-byron",
    "USERNAME": "ada-byron",
    "ASSIGNMENT_TYPE": "individual",
}
TEXTS = ("classroom", "assignment", "owner", "submission", "commit", "release", "review", "datetime", "graded_at")


def check_contract(data: dict[str, Any]) -> None:
    """What the wiki's table says of result.json, and what Classroom 50's validators add to it."""
    assert data["schema"] == "classroom50/result/v1" and data["assignment_type"] in ("individual", "group", "team")
    assert all(isinstance(data[name], str) and data[name] for name in TEXTS)
    assert data["submission"].startswith("submit/")
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", data[name]) for name in ("datetime", "graded_at"))
    assert set(data) == {*TEXTS, "schema", "assignment_type", "score", "max-score", "tests"}
    check_points(data)
    for test in data["tests"]:
        assert isinstance(test["test-name"], str) and test["test-name"]
        assert type(test["passed"]) is bool
        check_points(test)


def check_points(data: dict[str, Any]) -> None:
    assert type(data["score"]) is int and type(data["max-score"]) is int  # a bool is an int, too
    assert 0 <= data["score"] <= data["max-score"]


def test_every_row_is_a_test():
    data = result_for_runner(every_status(), RUNNER, NOW)
    check_contract(data)
    assert (data["score"], data["max-score"], len(data["tests"])) == (2, 11, 11)
    assert data["score"] == sum(test["score"] for test in data["tests"])
    assert data["max-score"] == sum(test["max-score"] for test in data["tests"])
    assert (data["owner"], data["review"]) == ("ada-byron", RUNNER["REVIEW_URL"])
    assert data["tests"][2]["test-name"] == "04_small: dwrong" and not data["tests"][2]["passed"]
    assert "The sign is turned round." in data["tests"][2]["output"]


def test_points_are_whole_because_the_contract_has_no_fractions():
    for points, most, whole in ((26, 29, (26, 29)), (0.5, 1, (5, 10)), (2.25, 3, (225, 300)), (1 / 3, 1, (333, 1000))):
        data = result_for_runner(results("ada", lesson("04_x", row("dx", points=points, max_points=most))), RUNNER, NOW)
        assert (data["score"], data["max-score"]) == whole == (data["tests"][0]["score"], data["tests"][0]["max-score"])


@given(
    some.lists(some.tuples(some.floats(-5, 50), some.floats(0, 30)), max_size=6),
    some.floats(-5, 99),
    some.floats(0, 50),
)
def test_whatever_was_decided_it_fits_the_contract(rows, score, max_score):
    """Late work, weights and adjustments: fractions, less than nothing, more than the maximum."""
    made = [row(f"d{at}", points=points, max_points=most) for at, (points, most) in enumerate(rows)]
    found = replace(results("ada", lesson("04_x", *made)), score=score, max_score=max_score)
    check_contract(result_for_runner(found, RUNNER, NOW))


def test_what_was_not_graded_is_no_pass():
    """Classroom 50 shows a result without tests as a success."""
    data = result_for_runner(results("ada", status="rejected", message="ada.zip is no archive."), RUNNER, NOW)
    check_contract(data)
    assert [test["passed"] for test in data["tests"]] == [False]
    assert "ada.zip is no archive." in data["tests"][0]["output"]


def test_the_runner_finds_its_files_in_the_checkout(tmp_path):
    out, checkout, elsewhere = tmp_path / "out", tmp_path / "checkout", tmp_path / "elsewhere"
    (out / "ada").mkdir(parents=True)
    checkout.mkdir()
    found = every_status()
    (out / "ada" / "results.json").write_text(found.to_text())
    (out / "ada" / "report.md").write_text("# The report\n")
    elsewhere.write_text("mine")
    for name in (".result.json.part", "result.json"):  # a student's links must not be written through
        (checkout / name).symlink_to(elsewhere)
    report_to_classroom50(out, [found], RUNNER, checkout)
    check_contract(json.loads((checkout / "result.json").read_text()))
    assert (checkout / "release-body.md").read_text() == "# The report\n"
    assert elsewhere.read_text() == "mine" and not (checkout / "result.json").is_symlink()
    with pytest.raises(UserError, match="here SUBMISSION_TAG is missing"):
        report_to_classroom50(out, [found], {**RUNNER, "SUBMISSION_TAG": ""}, checkout)
    with pytest.raises(UserError, match="for one submission, and this run has 2"):
        report_to_classroom50(out, [found, found], RUNNER, checkout)
    (checkout / "result.json").unlink()
    report_to_classroom50(out, [replace(found, status="error")], RUNNER, checkout)
    assert not (checkout / "result.json").exists()  # the runner reports an error, and no zero


# Downloads -----------------------------------------------------------------------------------------------------------


def record(owner: str, score: int = 0, tag: str = "a1b2c3d") -> dict[str, Any]:
    made = result_for_runner(
        results(owner, lesson("04_x", row("dx", points=score, max_points=9))), {**RUNNER, "OWNER": owner}, NOW
    )
    return made | {"submission": f"submit/2026-10-04T20-00-00Z-{tag}", "datetime": "2026-10-04T20:00:00Z"}


def download(folder: Path, *owners: str) -> Path:
    marker = "classroom: cs-principles\nassignment: hw-1\n"
    files = {}
    for owner in owners:
        start = f"cs-principles-hw-1-{owner}"
        files |= {
            f"{start}/.classroom50.yaml": marker,
            f"{start}/.git/index": "DIRC\0\0\0\2\0\0\0\0",
            f"{start}/result.json": json.dumps(record(owner), indent=1),
            f"{start}/04_cross_entropy/backward.py": f"# {owner}\n",
        }
    return laid_out(folder, files)


def test_the_time_of_submission_is_the_graded_commit_s(course, tmp_path):
    found = find([download(tmp_path / "d", "ada", "bo")], [course.find("04")], list(course.lessons.values()))
    assert [(each.student, each.account, each.submitted) for each in found.arrivals] == [
        (name, f"GitHub {name}", datetime(2026, 10, 4, 20, tzinfo=UTC)) for name in ("ada", "bo")
    ]


def spoiled_by_git(tracked: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / ".git" / "index").write_bytes(b"DIRC\0\0\0" + tracked[:5] + bytes(62) + tracked[5:])


@pytest.mark.parametrize(
    "spoil",
    [
        spoiled_by_git(b"\2\0\0\0\1result.json\0"),
        spoiled_by_git("\2\0\0\0\1reſult.json\0".encode()),  # a long s: the same file on a Mac's disk
        spoiled_by_git(b"\4\0\0\0\2result.j\0\0son\0"),
        lambda folder: (folder / ".git" / "index").unlink(),
        lambda folder: (folder / "result.json").write_text('{"schema": "classroom50/result/v1"}'),
        lambda folder: (folder / "result.json").write_text("[" * 9999),
    ],
    ids=["committed", "under another name", "in format 4", "no index", "incomplete", "deep"],
)
def test_a_result_json_that_may_be_the_student_s_own_says_no_time(course, tmp_path, spoil):
    folder = download(tmp_path / "d", "ada", "bo")
    spoil(folder / "cs-principles-hw-1-ada")
    found = find([folder], [course.find("04")], list(course.lessons.values()))
    assert [(each.student, each.submitted is not None) for each in found.arrivals] == [("ada", False), ("bo", True)]


def test_classroom_50_s_roster_confirms_logins(course, tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text(
        "username,first_name,last_name,email,section,github_id,role\nada,Ada,Okafor,ada@x.org,,1,student\n"
        "bo,,,,,2,student\n"
    )
    lessons = [course.find("04")]
    found = find([download(tmp_path / "d", "ada", "bo", "cy")], lessons, lessons, read_roster(roster))
    assert [each.student for each in found.arrivals] == ["Ada Okafor", "bo", "cy"]
