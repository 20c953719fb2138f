"""A row that claims a way of computing fails for a file that computes the right values in another way."""

from __future__ import annotations

import re
from pathlib import Path

from support import ROOT, SEED, rows_of, sampled

from grader.gradebook.grading.session import Session
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson

FILES = sorted((Path(__file__).parents[3] / "corpus" / "other_ways").glob("*.py"))
HEADER = re.compile(r"^# (lesson|fails): (.+)$", re.MULTILINE)
LESSONS = {lesson.number: lesson for lesson in Course(ROOT).lessons.values()}


@sampled("path", FILES, keep=1, ids=lambda path: path.stem)
def test_the_values_are_right_and_the_row_about_the_way_fails(path: Path, warm_zygotes: None) -> None:
    other = path.read_text(encoding="utf-8")
    header = dict(HEADER.findall(other))
    lesson = LESSONS[header["lesson"]]
    text = (ROOT / "solutions" / lesson.name / "backward.py").read_text(encoding="utf-8") + other
    submitted = {lesson.name: LessonFiles(lesson.name, {"backward.py": text.encode()})}
    session = Session([Lesson(ROOT, lesson.name, secrets=False)], SEED)
    rows = rows_of(session.grade(Submission(path.stem, path, submitted)).results)
    failed = {name: row["message"] for name, row in rows.items() if row["status"] != "passed"}
    assert failed.keys() == set(header["fails"].split(", ")), failed
