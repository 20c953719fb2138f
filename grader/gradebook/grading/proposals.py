"""Verdicts of `grade regrade` that nobody has applied yet, in a file next to the gradebook. It can be deleted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from grader.gradebook.connection import Connection
from grader.gradebook.files import OutputError
from grader.gradebook.grading.publisher import DRAWING
from grader.results import SubmissionResult

NAME = ".regrade.sqlite"


class Proposal(NamedTuple):
    """What grading a stored submission again has given."""

    results: SubmissionResult
    extras: dict[str, Any] | None


class Proposals:
    """{key, on which everything depends that a verdict depends on: proposal}. Methods raise OutputError."""

    def __init__(self, out: Path) -> None:
        self._path = out / NAME
        try:
            self._connection = self._open()
        except OutputError:  # a damaged file costs only the time to grade again
            self.delete()
            self._connection = self._open()

    def _open(self) -> Connection:
        connection = Connection(self._path)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute("CREATE TABLE IF NOT EXISTS proposals (key TEXT PRIMARY KEY, data TEXT NOT NULL)")
        except OutputError:
            connection.close()
            raise
        return connection

    def get(self, key: str) -> Proposal | None:
        row = next(self._connection.rows("SELECT data FROM proposals WHERE key = ?", key), None)
        if row is None:
            return None
        data = json.loads(row[0])
        return Proposal(SubmissionResult.from_json(data["results"]), data["extras"])

    def put(self, key: str, proposal: Proposal) -> None:
        text = json.dumps({"results": proposal.results.to_json(), "extras": proposal.extras})
        self._connection.execute("INSERT OR REPLACE INTO proposals VALUES (?, ?)", (key, text))

    def put_drawings(self, drawings: Mapping[str, str]) -> None:
        rows = [(DRAWING + digest, text) for digest, text in drawings.items()]
        self._connection.execute_each("INSERT OR REPLACE INTO proposals VALUES (?, ?)", rows)

    def drawings(self) -> dict[str, str]:
        """Those of `put_drawings`, see Publisher.new_drawings."""
        rows = self._connection.rows("SELECT key, data FROM proposals WHERE key LIKE ?", f"{DRAWING}%")
        return {key.removeprefix(DRAWING): text for key, text in rows}

    def close(self) -> None:
        self._connection.close()

    def delete(self) -> None:
        for path in self._path.parent.glob(NAME + "*"):
            path.unlink(missing_ok=True)
