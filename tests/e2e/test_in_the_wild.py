"""Files as learners write them: each gets the verdict and the message that its keys say.

tests/corpus/in_the_wild/README.md says how a member is written. Sessions are warm and shared; a member costs about
0.1 s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, SEED, rows_of, sampled
from wild_members import MEMBERS, Submitted, submitted, write_submission

from grader.dojo.check import LocalJudge
from grader.dojo.file import HERE, HIDDEN
from grader.gradebook.grading.one_file import JudgedFile
from grader.gradebook.grading.session import Session
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.finding import find
from grader.lesson.lesson import Course
from grader.lesson.paths import BACKWARD_FILE

OF_THE_DOJO = {HERE, HIDDEN}  # what `dojo check` says of a check that is right as far as it looks


@cache
def course_with(lines: tuple[str, ...], folder: Path) -> Course:
    """The course beside a course.toml of these lines."""
    root = folder / f"course {abs(hash(lines))}"
    root.mkdir()
    for part in ("exercises", "solutions"):
        (root / part).symlink_to(ROOT / part)
    (root / "course.toml").write_text("\n".join(lines), encoding="utf-8")
    return Course(root)


@pytest.fixture(scope="session")
def wild_session(
    course: Course, session_for: Callable[..., Session], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Submitted], tuple[Course, Session]]:
    """The course and a warm session for a member."""
    folder = tmp_path_factory.mktemp("courses")
    made: dict[tuple[str, ...], Session] = {}

    def of(member: Submitted) -> tuple[Course, Session]:
        if not member.course:
            return course, session_for(member.lesson)
        lines = tuple(member.course)
        own = course_with(lines, folder)
        key = (member.lesson, *lines)
        if key not in made:
            made[key] = Session([own.find(member.lesson)], SEED)
        return own, made[key]

    return of


# What must come of it ------------------------------------------------------------------------------------------------


def differences(member: Submitted, rows: dict[str, dict[str, Any]]) -> list[str]:
    """Where rows are not as the member says."""
    unknown = set(member.rows) - set(rows) - {"others"}
    found = [f"there is no row {name}" for name in sorted(unknown)]
    for name, row in rows.items():
        status, wanted = member.rows.get(name, member.rows["others"])
        if status == "any":
            continue
        message = row["message"] or ""
        whole = wanted.startswith("=")
        wanted = wanted.removeprefix("=").strip()
        right = message == wanted if whole or (status == "passed" and not wanted) else wanted in message
        is_right_here = row["status"] in OF_THE_DOJO and status == "passed" and (right or not message)
        if not is_right_here and (row["status"] != status or not right):
            found.append(f"{name}: {row['status']} | {message}")
        if row["status"] not in OF_THE_DOJO and row["points"] != (row["max_points"] if status == "passed" else 0):
            found.append(f"{name}: {row['points']} of {row['max_points']} points")
    return found


@sampled("of", [member for _, member in MEMBERS], keep=6, ids=[f"{group}/{each.name}" for group, each in MEMBERS])
def test_it_gets_its_verdict_and_its_message(of, wild_session, tmp_path, request):
    member = submitted(of)
    if member.by in ("dojo", "both"):
        judged = dojo_check(member, tmp_path / "at home", request.getfixturevalue("wild_dojo"))
        rows, shown = {row.name: row.to_json() for row in judged.rows}, judged.shown
        assert differences(member, rows) == []
    if member.by in ("grade", "both"):
        course, session = wild_session(member)
        place = write_submission(member, course, tmp_path / "in")
        lessons = list(course.lessons.values())
        if member.counts:
            counted = find([place], lessons, lessons).contained(lessons)
            assert [lesson.number for lesson in counted] == member.counts.split()
        (submission,) = find([place], session.lessons, lessons)
        graded = session.grade(submission)
        rows, shown = rows_of(graded.results), [line for lines in graded.shown.values() for line in lines]
        assert differences(member, rows) == []
    assert [line for line in member.printed if line not in shown] == [], shown


def dojo_check(member: Submitted, folder: Path, judge: LocalJudge) -> JudgedFile:
    """What `dojo check` says: it does not have the lesson's known mistakes."""
    course = Course(ROOT, secrets=False)
    lesson = course.find(member.lesson)
    place = write_submission(member, course, folder)
    if member.kind != "functions":
        (submission,) = find([place], [lesson], [lesson])
        return judge.judge(lesson, submission.lessons[lesson.name])
    files = {BACKWARD_FILE: (place / BACKWARD_FILE).read_bytes()}
    return judge.judge(lesson, LessonFiles(lesson.name, files, shown=BACKWARD_FILE))


@pytest.fixture(scope="session")
def wild_dojo() -> Iterator[LocalJudge]:
    judge = LocalJudge()
    yield judge
    judge.close()


def test_a_member_that_is_not_as_it_says_is_found():
    """The test itself: a wrong status, a wrong message, a missing one, a row that is not there."""
    row = {"status": "passed", "message": "A remark.", "points": 1, "max_points": 1}
    silent = {**row, "message": None}

    def found(status: str, wanted: str, name: str = "dC", row: dict[str, Any] = row) -> list[str]:
        return differences(Submitted("03", rows={name: (status, wanted), "others": ("passed", "")}), {"dC": row})

    assert found("passed", "", row=silent) == found("passed", "remark") == found("passed", "= A remark.") == []
    assert found("passed", "") == ["dC: passed | A remark."]
    assert found("passed", "= remark") and found("failed", "")
    assert found("any", "", name="dX") == ["there is no row dX", "dC: passed | A remark."]
    assert found("passed", "remark", row={**row, "points": 0}) == ["dC: 0 of 1 points"]
