"""OUT/gradebook.sqlite: every result as it arrives, so that whatever ends a run loses only what was in flight."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS attempts (
    id INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    submission_sha256 TEXT NOT NULL,
    score REAL NOT NULL,
    max_score REAL NOT NULL,
    finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    results TEXT NOT NULL
)
"""


class Gradebook:
    """Raises sqlite3.Error when the file cannot be written."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute(SCHEMA)

    def add(self, results: dict[str, Any]) -> None:
        self._connection.execute(
            "INSERT INTO attempts (student, submission_sha256, score, max_score, results) VALUES (?, ?, ?, ?, ?)",
            (
                results["student"],
                results["submission_sha256"],
                results["score"],
                results["max_score"],
                json.dumps(results),
            ),
        )

    def close(self) -> None:
        self._connection.close()
