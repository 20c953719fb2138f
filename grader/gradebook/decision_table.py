"""The decisions of an instructor, in the gradebook's file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace

from grader.gradebook.connection import Connection
from grader.gradebook.records import Decision
from grader.results.typed_json import from_json, to_json

DECISION_COLUMNS = [each.name for each in fields(Decision)]
READ_DECISIONS = f"SELECT {', '.join(DECISION_COLUMNS)} FROM decisions"


class DecisionTable:
    """The table of decisions. Every method raises OutputError when the file cannot be read or written."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, decisions: Iterable[Decision]) -> list[Decision]:
        """Store all of them or none; returned, they are on disk, with their ids. Their students' folders are stale."""
        stored = []
        with self._connection.transaction(durable=True):
            for each in decisions:
                values = to_json(each)
                del values["id"]
                stored.append(replace(each, id=self._connection.insert("decisions", values)))
                self._connection.execute("INSERT OR IGNORE INTO stale VALUES (?)", (each.student,))
        return stored

    def all(self, where: str = "") -> list[Decision]:
        """In the order in which they were made."""
        rows = self._connection.rows(f"{READ_DECISIONS} {where} ORDER BY id")
        return [from_json(Decision, dict(zip(DECISION_COLUMNS, row, strict=True))) for row in rows]

    def find(self, number: int) -> Decision | None:
        return next(iter(self.all(f"WHERE id = {int(number)}")), None)
