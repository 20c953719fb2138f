"""GitHub Classroom's result: base64 of JSON, version 3, as education/autograding-grading-reporter reads it."""

from __future__ import annotations

import base64
import json
from typing import Any

from grader.publish.export.rows import row_message
from grader.publish.inert import without_ci_commands
from grader.results import SubmissionResult

MOST_CHARACTERS = 100_000
"""It travels to the reporter in an environment variable, of which Linux takes 128 KiB."""
MESSAGE_LENGTHS = (600, 120, 0)


def classroom(results: SubmissionResult, message_length: int) -> dict[str, Any]:
    rows = [(lesson.name, row) for lesson in results.lessons for row in lesson.rows if row.counted]
    tests = [
        {
            "name": f"{lesson}: {row.name}",
            "status": "pass" if row.status == "passed" else "fail",
            "score": row.points,
            "max_score": row.max_points,
            "message": harmless_line(row_message(row))[:message_length],
            "line_no": row.line or 0,
        }
        for lesson, row in rows
    ]
    status = "error" if results.status != "graded" else "fail"
    if tests and all(test["status"] == "pass" for test in tests):
        status = "pass"
    return {"version": 3, "status": status, "max_score": results.max_score, "tests": tests}


def harmless_line(text: str) -> str:
    """The reporter prints messages as they are: none may begin a line of its own, or look like a command."""
    return without_ci_commands(" ".join(text.split()))


def classroom_result(results: SubmissionResult) -> str:
    """The step output `result`; messages are shortened until it fits."""
    encoded = ""
    for length in MESSAGE_LENGTHS:
        encoded = base64.b64encode(json.dumps(classroom(results, length)).encode()).decode()
        if len(encoded) <= MOST_CHARACTERS:
            break
    return encoded
