"""What the gradebook's file says about itself: its course, what later commands need, which pages are out of date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grader.gradebook.connection import Connection


class Notes:
    """Entries by name. Every method raises OutputError when the file cannot be read or written."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def about(self) -> dict[str, str]:
        """The entries that `describe` wrote: the course and the seeds of the attempts."""
        return dict(self._connection.rows("SELECT name, value FROM about"))

    def describe(self, about: Mapping[str, str]) -> None:
        """Store which course and which seeds the attempts have. An entry that is not named stays as it is."""
        if about.items() <= self.about().items():
            return
        self._connection.execute_each("INSERT OR REPLACE INTO about VALUES (?, ?)", about.items())

    def keep(self, name: str, value: str) -> None:
        """Leave a text for later commands."""
        self._connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, value))

    def kept(self, name: str) -> str | None:
        row = next(self._connection.rows("SELECT value FROM kept WHERE name = ?", name), None)
        return None if row is None else str(row[0])

    def mark_stale(self, students: Iterable[str]) -> None:
        """These students' folders in OUT are out of date, until `mark_written` says otherwise."""
        self._connection.execute_each("INSERT OR IGNORE INTO stale VALUES (?)", ((each,) for each in students))

    def mark_written(self, student: str) -> None:
        self._connection.execute("DELETE FROM stale WHERE student = ?", (student,))

    def stale(self) -> list[str]:
        return [student for (student,) in self._connection.rows("SELECT student FROM stale ORDER BY student")]
