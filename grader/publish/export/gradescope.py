"""Gradescope's results.json: a test for each row. https://gradescope-autograders.readthedocs.io/en/latest/specs/"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from grader.publish.export.rows import counted_rows, explanation_text, not_graded
from grader.publish.inert import inert
from grader.publish.report.annotated import sentences_about
from grader.results import SubmissionResult, number, points_in_words, points_text


def gradescope_results(
    results: SubmissionResult, visibility: str = "visible", maximum: float | None = None
) -> dict[str, Any]:
    """The results of one submission as Gradescope reads them, with points scaled to `maximum`.

    `visibility` says when students see the tests; while those are hidden, so is the total. What run_autograder prints
    is always hidden. The results hold no seed and no path of the grader.
    """
    factor = 1.0 if maximum is None or not results.max_score else maximum / results.max_score
    data: dict[str, Any] = {
        "score": number(results.score * factor),
        "execution_time": round(results.seconds),
        "output": "\n\n".join(overview_lines(results, factor)),
        "output_format": "text",
        "visibility": visibility,
        "stdout_visibility": "hidden",
        "tests": list(test_entries(results, factor)),
    }
    return data


def overview_lines(results: SubmissionResult, factor: float) -> Iterator[str]:
    if results.status != "unclear":
        yield f"{points_text(results.score * factor)} of {points_in_words(results.max_score * factor)}."
    yield from map(inert, sentences_about(results))
    if results.is_partly_counted:
        yield inert(f"Counted: {results.counted_parts()}.")
    yield from (f"{what} was not graded: {why}" for what, why in not_graded(results))
    for lesson in results.lessons:
        if lesson.status == "graded" and lesson.message:
            yield f"{lesson.name}: {inert(lesson.message)}"


def test_entries(results: SubmissionResult, factor: float) -> Iterator[dict[str, Any]]:
    places = {id(row): place for lesson in results.lessons for place, row in enumerate(lesson.rows, 1)}
    for lesson, line in counted_rows(results):
        yield {
            "name": f"{lesson}: {line.row.name}",
            "number": f"{lesson.partition('_')[0]}.{places[id(line.row)]}",
            "score": number(line.row.points * factor),
            "max_score": number(line.row.max_points * factor),
            "status": "passed" if line.row.status == "passed" else "failed",
            "output": explanation_text(line),
            "output_format": "text",
        }


def gradescope_json(results: SubmissionResult, visibility: str = "visible", maximum: float | None = None) -> str:
    """The text of Gradescope's results.json."""
    return json.dumps(gradescope_results(results, visibility, maximum), indent=1, ensure_ascii=False) + "\n"
