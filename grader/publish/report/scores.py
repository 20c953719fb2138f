"""Scores as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def number(value: float) -> float:
    """A score as people write it: 26, not 26.0."""
    return int(value) if float(value).is_integer() else round(value, 6)


def is_counted(row: Mapping[str, Any]) -> bool:
    """False for a row of results.json that the submission cannot contain."""
    return bool(row.get("counted", True))


def counted(results: Mapping[str, Any]) -> str:
    """What a student's maximum is made of: "03_makemore_steps, 05_batch_norm (1 of 13 rows)"."""
    found = []
    for lesson in results["lessons"]:
        rows = lesson["gradients"]
        count = sum(map(is_counted, rows))
        found.append(lesson["name"] + (f" ({count} of {len(rows)} rows)" if count < len(rows) else ""))
    return ", ".join(found)


def percent(results: Mapping[str, Any]) -> float:
    """Of a results.json, or of one of its lessons."""
    return 100 * results["score"] / results["max_score"] if results["max_score"] else 0.0
