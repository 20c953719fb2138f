"""The decisions of an instructor, in the gradebook's file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from grader.gradebook.connection import Connection
from grader.gradebook.records import Decision
from grader.results.typed_json import time_from_text, time_to_text

DECISION_TABLE_COLUMNS = "id, student, kind, author, made, row, points, until, text, undoes"
ADD_DECISION = (
    "INSERT INTO decisions (student, kind, author, made, row, points, until, text, undoes) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class DecisionTable:
    """The table of decisions. Every method raises OutputError when the file cannot be read or written."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, decisions: Iterable[Decision]) -> list[Decision]:
        """Store all of them or none; returned, they are on disk, with their ids. Their students' folders are stale."""
        stored = []
        with self._connection.transaction(durable=True):
            for each in decisions:
                until = None if each.until is None else time_to_text(each.until)
                about = each.student, each.kind, each.author, time_to_text(each.made), each.row, each.points, until
                stored.append(
                    replace(each, id=self._connection.execute(ADD_DECISION, (*about, each.text, each.undoes)))
                )
                self._connection.execute("INSERT OR IGNORE INTO stale VALUES (?)", (each.student,))
        return stored

    def all(self) -> list[Decision]:
        """In the order in which they were made."""
        return [
            decision_of(row)
            for row in self._connection.rows(f"SELECT {DECISION_TABLE_COLUMNS} FROM decisions ORDER BY id")
        ]

    def find(self, number: int) -> Decision | None:
        row = next(self._connection.rows(f"SELECT {DECISION_TABLE_COLUMNS} FROM decisions WHERE id = ?", number), None)
        return None if row is None else decision_of(row)


def decision_of(values: Sequence[Any]) -> Decision:
    number, student, kind, author, made, row, points, until, text, undoes = values
    deadline: datetime | None = None if until is None else time_from_text(until)
    return Decision(number, student, kind, author, time_from_text(made), row, points, deadline, text, undoes)
