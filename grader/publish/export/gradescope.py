"""Gradescope's results.json: a test for each row. https://gradescope-autograders.readthedocs.io/en/latest/specs/"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grader.publish.export.rows import explanation_lines, lesson_number, not_graded, what_counts
from grader.publish.inert import inert
from grader.results import SubmissionResult

VISIBILITIES = ("visible", "after_due_date", "after_published", "hidden")


@dataclass(frozen=True)
class Visibility:
    """What students see: the tests, what run_autograder printed, and a leaderboard of scores.

    While tests are hidden, students do not see their total either.
    """

    tests: str = "visible"
    stdout: str = "hidden"
    leaderboard: bool = False


def gradescope_results(results: SubmissionResult, shown: Visibility = Visibility()) -> dict[str, Any]:
    """The results of one submission as Gradescope reads them. They hold no seed and no path of the grader."""
    data: dict[str, Any] = {
        "score": results.score,
        "execution_time": round(results.seconds),
        "output": "\n\n".join(overview_lines(results)),
        "output_format": "text",
        "visibility": shown.tests,
        "stdout_visibility": shown.stdout,
        "tests": list(test_entries(results)),
    }
    if shown.leaderboard:
        data["leaderboard"] = [{"name": "Score", "value": results.score}]
    return data


def overview_lines(results: SubmissionResult) -> Iterator[str]:
    yield f"{results.score:g} of {results.max_score:g} points."
    if what_counts(results):
        yield what_counts(results)
    yield from (f"{what} was not graded: {why}" for what, why in not_graded(results))
    for lesson in results.lessons:
        if lesson.status == "graded" and lesson.message:
            yield f"{lesson.name}: {inert(lesson.message)}"


def test_entries(results: SubmissionResult) -> Iterator[dict[str, Any]]:
    for lesson in results.lessons:
        for place, row in enumerate(lesson.rows, 1):
            if not row.counted:
                continue
            yield {
                "name": f"{lesson.name}: {row.name}",
                "number": f"{lesson_number(lesson)}.{place}",
                "score": row.points,
                "max_score": row.max_points,
                "status": "passed" if row.status == "passed" else "failed",
                "output": "\n".join(explanation_lines(row)),
                "output_format": "text",
            }


def gradescope_json(results: SubmissionResult, shown: Visibility = Visibility()) -> str:
    """The text of Gradescope's results.json."""
    return json.dumps(gradescope_results(results, shown), indent=1, ensure_ascii=False) + "\n"
