"""A results.json made by hand, for whatever is written from one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grader.results import LessonResult, Row, SubmissionResult

HOSTILE = (
    "</failure>]]><script>alert(1)</script> {{ 7*7 }} %0A::error::x ##[error]y "
    "\x1b[31mred\x1b[0m\x00\u202eevil\u200b\udc80,title=z\r\n::set-env name=A::b\n::stop-commands::t\n=cmd()"
)


def row(name: str, status: str = "passed", **more: Any) -> Row:
    ran = status in ("passed", "failed", "shape")
    right = status == "passed"
    data = {
        "name": name,
        "status": status,
        "points": 1 if right else 0,
        "max_points": 1,
        "exact": right if ran else None,
        "approximate": right if ran else None,
        "maxdiff": (0.0 if right else 0.5) if ran else None,
        "ulps": 0 if right else None,
        "relative_error": None,
        "shape": [4, 3] if ran else None,
        "expected_shape": [4, 3],
        "chain": "passed" if right else "skipped",
        "because_of": [],
        "mistake": None,
        "message": None,
        "file": "04_small/backward.py",
        "line": None,
    }
    return Row.from_json(data | more)


def lesson(name: str, *rows: Row, **more: Any) -> LessonResult:
    return replace(LessonResult.of(name, list(rows), seconds=0.25), **more)


def results(student: str, *lessons: LessonResult, **more: Any) -> SubmissionResult:
    made = SubmissionResult(
        student=student,
        submission_sha256="0" * 64,
        score=sum(part.score for part in lessons),
        max_score=sum(part.max_score for part in lessons),
        isolation="strong",
        seed=91_827_364_554_637_281,
        seconds=1.5,
        environment={"torch": "2.13.0", "python": "3.12", "cpu_capability": "AVX512", "platform": "somewhere"},
        lessons=list(lessons),
    )
    return replace(made, **more)


def every_status() -> SubmissionResult:
    """One row of each status in one lesson, another lesson not submitted."""
    wrong = {"id": "sign", "message": "The sign is turned round."}
    rows = (
        row("dright"),
        row("dchain", chain="failed", because_of=["dwrong"]),
        row("dwrong", "failed", mistake=wrong, message=wrong["message"], line=7),
        row("dshape", "shape", message="Found (3,), expected (4, 3).", line=9),
        row("dtodo", "todo"),
        row("dmissing", "missing", message="There is no function `dmissing`."),
        row("derror", "error", message="ValueError: no", line=20),
        row("dtimeout", "timeout", message="It did not return within 10 seconds."),
        row("dcrashed", "crashed", message="Its process ended."),
        row("dforbidden", "forbidden", message="It calls autograd.", line=30),
    )
    absent = lesson("05_other", row("dx", "missing", file=None), status="missing", message="No folder was submitted.")
    return results("ada", lesson("04_small", *rows), absent)
