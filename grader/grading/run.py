"""`grade run`: from paths to verdicts on disk."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.grading.batch import grade_all
from grader.grading.gradebook import Gradebook
from grader.grading.server import Settings, write_whole
from grader.grading.session import VERSION, environment
from grader.lesson import Lesson
from grader.report.classroom import csv_rows
from grader.report.pages import Reporter
from grader.report.scores import number
from grader.submissions.submission import Submission


class OutputError(Exception):
    """OUT cannot be written; the text is one sentence."""


@dataclass
class Outcome:
    results: list[dict[str, Any]]
    faults: int
    stopped: bool = False

    def below(self, percent: float) -> list[str]:
        return [r["student"] for r in self.results if 100 * r["score"] < percent * r["max_score"]]


def fault_results(submission: Submission, lessons: Sequence[Lesson], seed: int, fault: str) -> dict[str, Any]:
    """results.json of a submission that could not be graded for a reason of ours."""
    return {
        "version": VERSION,
        "student": submission.student,
        "submission_sha256": submission.sha256,
        "score": 0,
        "max_score": number(sum(lesson.max_score for lesson in lessons)),
        "status": "error",
        "message": f"It could not be graded, for a reason that is not the student's: {fault}",
        "isolation": "none",
        "seed": seed,
        "seconds": 0,
        "environment": environment(),
        "lessons": [],
    }


def grade_run(
    submissions: Sequence[Submission],
    lessons: Sequence[Lesson],
    settings: Settings,
    jobs: int,
    on_result: Callable[[dict[str, Any]], None],
) -> Outcome:
    """Grades all and writes OUT as results arrive; Ctrl-C leaves everything finished on disk. Raises OutputError."""
    out = Path(settings.out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        gradebook = Gradebook(out / "gradebook.sqlite")
    except (OSError, sqlite3.Error) as error:
        raise OutputError(f"{out} cannot be written ({error}): give another folder with -o.") from error
    outcome = Outcome([], 0)
    try:
        for submission, reply in grade_all(submissions, settings, jobs):
            results = reply.get("results")
            if results is None:
                outcome.faults += 1
                results = fault_results(submission, lessons, settings.seed, reply["fault"])
            gradebook.add(results)
            outcome.results.append(results)
            on_result(results)
    except KeyboardInterrupt:
        outcome.stopped = True
    finally:
        gradebook.close()
        outcome.results.sort(key=lambda r: r["student"].lower())
        write_class(out, outcome.results, lessons)
    return outcome


def write_class(out: Path, results: Sequence[dict[str, Any]], lessons: Sequence[Lesson]) -> None:
    """grades.csv and index.html over all students."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(csv_rows(results))
    write_whole(out / "grades.csv", text.getvalue())
    write_whole(out / "index.html", Reporter(lessons).class_page(results))
