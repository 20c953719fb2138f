"""Classroom 50's result.json (classroom50/result/v1): whole points, one entry for each row that counts.

The contract: https://github.com/foundation50/classroom50/wiki/Advanced-Autograding#the-resultjson-contract and
schemas/result-v1.schema.json in that repository.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grader.errors import UserError
from grader.publish.export.rows import counted_rows, explanation_text, not_graded
from grader.publish.inert import inert
from grader.results import SubmissionResult

SCHEMA = "classroom50/result/v1"
RELEASE_BODY = "release-body.md"
FACTORS = (1, 10, 100, 1000)
IDENTITY = ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL")
"""What Classroom 50's runner tells an autograder in the environment."""


def result_for_runner(results: SubmissionResult, environment: Mapping[str, str], now: datetime) -> dict[str, Any]:
    """The content of result.json. Raises UserError where the runner's environment is incomplete.

    The runner replaces `datetime` by the time of the submission, and `owner` by what the repository's name says.
    """
    if missing := [name for name in IDENTITY if not environment.get(name)]:
        raise UserError(
            f"--format classroom50 is for Classroom 50's runner, which sets {', '.join(IDENTITY)}; here "
            f"{missing[0]} is missing."
        )
    owner = environment.get("OWNER") or environment.get("USERNAME") or results.student
    return {
        "schema": SCHEMA,
        "classroom": environment["CLASSROOM"],
        "assignment": environment["ASSIGNMENT"],
        "assignment_type": environment.get("ASSIGNMENT_TYPE") or "individual",
        "owner": owner,
        "submission": environment["SUBMISSION_TAG"],
        "commit": environment["COMMIT_URL"],
        "release": environment["RELEASE_URL"],
        "review": environment.get("REVIEW_URL") or environment["COMMIT_URL"],
        "datetime": utc_text(now),
        **score_fields(results, now),
    }


def score_fields(results: SubmissionResult, now: datetime) -> dict[str, Any]:
    """The fields that grading determines: graded_at, score, max-score, tests."""
    rows = list(counted_rows(results))
    points = (value for _, line in rows for value in (line.row.points, line.row.max_points))
    numbers = [results.score, results.max_score, *points]
    factor = whole_factor(numbers)

    def whole(value: float, most: float) -> int:
        return int(max(0, min(round(value * factor), round(most * factor))))

    tests = [
        {
            "test-name": f"{lesson}: {line.row.name}",
            "passed": line.row.status == "passed",
            "score": whole(line.row.points, line.row.max_points),
            "max-score": round(line.row.max_points * factor),
            "output": explanation_text(line),
        }
        for lesson, line in rows
    ]
    if not tests:  # without tests, Classroom 50 shows a pass
        why = "\n".join(f"{what} was not graded: {why}" for what, why in not_graded(results))
        highest = round(results.max_score * factor)
        tests = [{"test-name": "submission", "passed": False, "score": 0, "max-score": highest, "output": inert(why)}]
    return {
        "graded_at": utc_text(now),
        "score": whole(results.score, results.max_score),
        "max-score": round(results.max_score * factor),
        "tests": tests,
    }


def whole_factor(numbers: Sequence[float]) -> int:
    """1, 10, 100 or 1000: the least with which all numbers are whole, because the contract has no fractions."""
    for factor in FACTORS[:-1]:
        if all(abs(value * factor - round(value * factor)) < 1e-6 for value in numbers):
            return factor
    return FACTORS[-1]


def utc_text(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def result_text(data: Mapping[str, Any]) -> str:
    """The text of Classroom 50's result.json or scores.json."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def release_body(out: Path, results: SubmissionResult) -> str:
    """The text of the submission's Release: the student's report."""
    return (out / results.student / "report.md").read_text(encoding="utf-8", errors="replace")
