"""The statuses of a row of results.json: which there are, in words, and what they have in common."""

from __future__ import annotations

UNWRITTEN = ("todo", "missing")
BROKEN = ("error", "timeout", "crashed", "forbidden")
"""There is no value to judge."""

WRONG = ("failed", "shape", *BROKEN)

WORDS = {
    "passed": "right",
    "failed": "wrong value",
    "shape": "wrong shape",
    "todo": "to do",
    "missing": "missing",
    "error": "error",
    "timeout": "out of time",
    "crashed": "crashed",
    "forbidden": "not allowed",
}
