"""Scores as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def number(value: float) -> float:
    """A score as people write it: 26, not 26.0."""
    return int(value) if float(value).is_integer() else round(value, 6)


def percent(results: Mapping[str, Any]) -> float:
    """Of a results.json, or of one of its lessons."""
    return 100 * results["score"] / results["max_score"] if results["max_score"] else 0.0
