"""A gradebook with results made by hand, for the commands that come after a run."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from click.testing import CliRunner, Result
from made_results import lesson as lesson_of
from made_results import results as results_by_hand
from made_results import row
from support import ROOT

from grader.commands.grade import main
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.grading.settings import Conditions, Settings
from grader.gradebook.store import StoredVerdict
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course
from grader.results import SubmissionResult

CROSS = "04_cross_entropy"
HANDED_IN = datetime(2026, 11, 20, 12, tzinfo=UTC)
ROWS = ("dlogits", "dhpreact")


def submission_of(student: str, source: str = "pass\n") -> Submission:
    files = {CROSS: LessonFiles(CROSS, {"backward.py": source.encode()})}
    return Submission(student, Path(student), files, submitted=HANDED_IN)


def results_for(submission: Submission, right: int) -> SubmissionResult:
    """Two rows of one point each, of which the first `right` are right."""
    rows = [row(name, "passed" if place < right else "failed") for place, name in enumerate(ROWS)]
    made = lesson_of(CROSS, *rows)
    return results_by_hand(submission.student, made, submission_sha256=submission.sha256)


def write_gradebook(out: Path, students: Mapping[str, int], course: Path = ROOT, source: str = "") -> None:
    """OUT with a gradebook in which each student has so many of two points, for a file that differs by `source`."""
    out.mkdir(parents=True, exist_ok=True)
    lesson = Course(course).lessons[CROSS]
    settings = Settings(course=str(course), lessons=[CROSS], seed=1, out=str(out))
    gradebook = Gradebook(out / GRADEBOOK)
    gradebook.describe({"course": str(course), "seed": "drawn"})
    for student, right in students.items():
        submission = submission_of(student, f"# {student}{source}\n")
        conditions = Conditions.of([lesson], settings)
        gradebook.add(StoredVerdict("", results_for(submission, right), conditions, {}), submission)
    gradebook.close()


def add_attempt(out: Path, student: str, lesson: str, source: str, status: str = "passed") -> None:
    """Store an attempt with this lesson, in which each row has this status; it misses CROSS if that is another one."""
    submission = Submission(student, Path(student), {lesson: LessonFiles(lesson, {"backward.py": source.encode()})})
    parts = {CROSS: lesson_of(CROSS, *(row(name, "missing") for name in ROWS), status="missing")}
    parts[lesson] = lesson_of(lesson, *(row(name, status) for name in ROWS))
    made = results_by_hand(student, *parts.values(), submission_sha256=submission.sha256)
    out.mkdir(exist_ok=True)
    with closing(Gradebook(out / GRADEBOOK)) as book:
        book.describe({"course": str(ROOT)})
        book.add(StoredVerdict("", made, None, {}), submission)


def grade(*arguments: object) -> Result:
    """`grade` in this process, by the author TA."""
    return CliRunner(env={"GRADE_AUTHOR": "TA"}).invoke(main, [str(each) for each in arguments])


def current(out: Path) -> dict[str, SubmissionResult]:
    with closing(Gradebook(out / GRADEBOOK)) as gradebook:
        return {each.student: each for each in gradebook.current()}


def scores(out: Path) -> dict[str, float]:
    return {student: results.score for student, results in current(out).items()}


def grades_of(out: Path) -> dict[str, dict[str, str]]:
    """{student: the line} of OUT's grades.csv."""
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {line["student"]: line for line in csv.DictReader(file)}


def change(course: Path) -> None:
    """The hidden suite of lesson 04 is another file from now on."""
    suite = next((course / "solutions" / CROSS).glob("test_*.py"))
    suite.write_text(suite.read_text(encoding="utf-8") + "\n# fixed\n", encoding="utf-8")
