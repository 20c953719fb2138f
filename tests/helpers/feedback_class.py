"""A platform's download, and the OUT of a class that was graded from it, without grading anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from made_results import lesson, results, row
from packaged import packed
from support import CORPUS

from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.store import StoredVerdict
from grader.intake.submissions.finding import find
from grader.intake.submissions.roster import read_roster
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course
from grader.results import SubmissionResult

LESSON = "04_cross_entropy"
DOWNLOADS = CORPUS / "downloads"


def golden_download(name: str, folder: Path) -> Path:
    """The files of tests/corpus/downloads/NAME, each with a content of its own, in `folder`."""
    expected = json.loads((DOWNLOADS / name / "expected.json").read_text(encoding="utf-8"))
    return laid_out(folder / expected.get("folder", name), expected["files"])


def laid_out(folder: Path, files: Mapping[str, Any]) -> Path:
    for place, what in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        is_text = isinstance(what, str) and ("\n" in what or Path(place).suffix not in (".py", ".zip", ".gz"))
        path.write_bytes(what.encode() if is_text else content(place, what))
    return folder


def content(place: str, what: Any) -> bytes:
    if isinstance(what, Mapping):
        return packed("x.zip", {inside: content(f"{place}/{inside}", kind) for inside, kind in what["zip"].items()})
    return f"def dlogits(logits):\n    return '{place}'\n".encode()


def write_class(
    course: Course, download: Path, out: Path, roster: Path | None = None, **points: int
) -> dict[str, SubmissionResult]:
    """What a run over `download` leaves in OUT. Of 2 rows, a student has `points` right, 1 if not named."""
    lessons = [course.find("04")]
    members = None if roster is None else read_roster(roster)
    found = find([download], lessons, list(course.lessons.values()), members)
    out.mkdir(parents=True, exist_ok=True)
    gradebook = Gradebook(out / GRADEBOOK)
    written = {}
    for submission in found:
        right = points.get(submission.student.split()[0].lower(), 1)
        rows = [row(name, "passed" if at < right else "failed") for at, name in enumerate(("dlogits", "in_one_go"))]
        result = results(submission.student, lesson(LESSON, *rows), submission_sha256=submission.sha256, left_out=[])
        gradebook.add(StoredVerdict("key", result, None), submission)
        write_student(out, result)
        written[submission.student] = result
    gradebook.close()
    return written


def add_attempt(gradebook: Gradebook, result: SubmissionResult) -> None:
    gradebook.add(StoredVerdict("key", result, None), Submission(result.student, Path(), {}))


def report_of(student: str) -> str:
    """What only this student's report says."""
    return f"the report of <{student}>"


def write_student(out: Path, result: SubmissionResult) -> None:
    folder = out / result.student
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("report.html", f"<p>{report_of(result.student)}</p>"),
        ("report.md", report_of(result.student)),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "results.json").write_text(result.to_text(), encoding="utf-8")
