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
from grader.gradebook.files import output_errors, write_whole
from grader.intake.submissions.platforms import RESULT_FILE
from grader.publish.export.formats import counted_rows, export_of, not_graded, with_figures
from grader.publish.inert import inert
from grader.results import SubmissionResult

RELEASE_BODY = "release-body.md"
IDENTITY = ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL")
"""What Classroom 50's runner tells an autograder in the environment."""


def report_to_classroom50(
    out: Path, results: Sequence[SubmissionResult], environment: Mapping[str, str], workspace: Path
) -> None:
    """result.json and release-body.md in `workspace`, for Classroom 50's runner. Raises UserError, OutputError.

    Nothing is written for a fault of the grader: the runner then reports an error, and no zero.
    """
    if len(results) != 1:
        raise UserError(f"--format classroom50 is for one submission, and this run has {len(results)}.")
    if results[0].status == "error":
        return
    result, now = with_figures(out, results[0]), datetime.now(UTC)
    report = (out / result.student / "report.md").read_text(encoding="utf-8", errors="replace")
    text, _ = export_of(
        result, lambda each: json.dumps(result_for_runner(each, environment, now), indent=2, ensure_ascii=False) + "\n"
    )
    with output_errors(workspace / RESULT_FILE):
        for name, content in ((RELEASE_BODY, report), (RESULT_FILE, text)):
            if content is not None:
                (workspace / f".{name}.part").unlink(missing_ok=True)  # it may be a student's link to somewhere else
                write_whole(workspace / name, content)


def result_for_runner(results: SubmissionResult, environment: Mapping[str, str], now: datetime) -> dict[str, Any]:
    """The content of result.json. Raises UserError where the runner's environment is incomplete.

    The contract has no fractions: all points are multiplied by the least power of ten, up to 1000, that makes them
    whole. The runner replaces `datetime` by the time of the submission, and `owner` by what the repository's name says.
    """
    if missing := [name for name in IDENTITY if not environment.get(name)]:
        raise UserError(
            f"--format classroom50 is for Classroom 50's runner, which sets {', '.join(IDENTITY)}; here "
            f"{missing[0]} is missing."
        )
    rows = list(counted_rows(results))
    points = [results.score, results.max_score]
    points += [value for *_, line in rows for value in (line.row.points, line.row.max_points)]
    factor = next((n for n in (1, 10, 100) if all(abs(n * each - round(n * each)) < 1e-6 for each in points)), 1000)

    def whole(value: float, most: float) -> dict[str, int]:
        highest = round(most * factor)
        return {"score": max(0, min(round(value * factor), highest)), "max-score": highest}

    tests = [
        {
            "test-name": name,
            "passed": line.row.status == "passed",
            **whole(line.row.points, line.row.max_points),
            "output": inert(line.explanation),
        }
        for name, _, line in rows
    ]
    if not tests:  # without tests, Classroom 50 shows a pass
        why = "\n".join(f"{what} was not graded: {why}" for what, why in not_graded(results))
        tests = [{"test-name": "submission", "passed": False, **whole(0, results.max_score), "output": why}]
    stamp = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "schema": "classroom50/result/v1",
        "classroom": environment["CLASSROOM"],
        "assignment": environment["ASSIGNMENT"],
        "assignment_type": environment.get("ASSIGNMENT_TYPE") or "individual",
        "owner": environment.get("OWNER") or environment.get("USERNAME") or results.student,
        "submission": environment["SUBMISSION_TAG"],
        "commit": environment["COMMIT_URL"],
        "release": environment["RELEASE_URL"],
        "review": environment.get("REVIEW_URL") or environment["COMMIT_URL"],
        "datetime": stamp,
        "graded_at": stamp,
        **whole(results.score, results.max_score),
        "tests": tests,
    }
