"""A row that claims a way of computing fails for a file that computes the right values in another way."""

from __future__ import annotations

from pathlib import Path

from support import CORPUS, ROOT, SEED, rows_of, sampled

from bench.members import Member, members_of
from grader.gradebook.grading.session import Session
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson

ANSWERS = list(members_of(CORPUS / "other_ways" / "answers.py"))
LESSONS = {lesson.number: lesson for lesson in Course(ROOT).lessons.values()}


@sampled("other", ANSWERS, keep=1, ids=lambda other: other.name)
def test_the_values_are_right_and_the_row_about_the_way_fails(other: Member, warm_zygotes: None) -> None:
    keys = dict(other.keys)
    lesson = LESSONS[keys["lesson"]]
    text = (ROOT / "solutions" / lesson.name / "backward.py").read_text(encoding="utf-8") + other.own
    submitted = {lesson.name: LessonFiles(lesson.name, {"backward.py": text.encode()})}
    session = Session([Lesson(ROOT, lesson.name, secrets=False)], SEED)
    rows = rows_of(session.grade(Submission(other.name, Path(other.name), submitted)).results)
    failed = {name: row["message"] for name, row in rows.items() if row["status"] != "passed"}
    assert failed.keys() == set(keys["fails"].split(", ")), failed
