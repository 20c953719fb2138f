"""A student's current results: the union, lesson by lesson, of what the attempts in the gradebook say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grader.publish.report.scores import number

Results = dict[str, Any]

NOT_GRADED = "not_graded"
"""Field of a failed attempt: [{"name": lesson, "max_score": points}] that the attempt should have graded."""
EARLIER = "earlier"
"""Field of current results: the lessons whose result comes from an attempt before the latest one."""


def current_results(attempts: Iterable[Results]) -> Results:
    """Combine a student's attempts, newest first and at least one, into one results.json.

    For each lesson the newest attempt that contains it counts. A lesson that is missing from a newer submission keeps
    its earlier result. A lesson whose newest attempt failed for a reason of ours has no result, and the status is
    "error": an older result is not current. With a single attempt, its results are returned unchanged.
    """
    newest = iter(attempts)
    latest = next(newest)
    parts: dict[str, Results] = {}
    earlier: list[str] = []
    failed: dict[str, float] = {}
    fault: Results | None = None
    changed = False
    for attempt in [latest, *newest]:
        changed = changed or attempt is not latest
        if attempt["status"] == "error":
            fault = fault or attempt
            if NOT_GRADED not in attempt:  # a book of an earlier version does not say which lessons failed
                break
            failed |= {
                part["name"]: part["max_score"]
                for part in attempt[NOT_GRADED]
                if part["name"] not in failed and is_open(parts.get(part["name"]))
            }
            continue
        for lesson in attempt["lessons"]:
            name = lesson["name"]
            if name in failed or not is_open(parts.get(name)) or (name in parts and lesson["status"] == "missing"):
                continue
            parts[name] = lesson
            if attempt is not latest:
                earlier.append(name)
    if not changed:
        return latest
    lessons = [parts[name] for name in sorted(parts) if name not in failed]
    combined = {
        **latest,
        "lessons": lessons,
        "score": number(sum(lesson["score"] for lesson in lessons)),
        "max_score": number(sum(lesson["max_score"] for lesson in lessons) + sum(failed.values())),
        EARLIER: sorted({name for name in earlier if name not in failed}),
    }
    if "left_out" in latest:
        combined["left_out"] = [name for name in latest["left_out"] if name not in parts and name not in failed]
    if failed or latest["status"] == "error":
        assert fault is not None
        combined |= {"status": "error", "message": fault["message"]}
        combined[NOT_GRADED] = [{"name": name, "max_score": points} for name, points in sorted(failed.items())]
        combined["max_score"] = combined["max_score"] or fault["max_score"]
    return combined


def is_open(known: Results | None) -> bool:
    """Whether an older attempt may still say something about the lesson."""
    return known is None or known["status"] == "missing"


def lessons_of(attempt: Results) -> set[str]:
    """The names of the lessons that an attempt graded, or should have graded."""
    return {part["name"] for part in (*attempt["lessons"], *attempt.get(NOT_GRADED, ()))}
