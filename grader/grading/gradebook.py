"""OUT/gradebook.sqlite: every result as it arrives, so that whatever ends a run loses only what was in flight."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.grading.files import OutputError

VERSION = 2
WAIT_SECONDS = 5.0  # for another program that has the book open for writing
SCHEMA = """
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    key TEXT NOT NULL,
    submission_sha256 TEXT NOT NULL,
    status TEXT NOT NULL,
    score REAL NOT NULL,
    max_score REAL NOT NULL,
    finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    results TEXT NOT NULL
)
"""
INDEX = "CREATE INDEX attempts_of_a_student ON attempts (student, id)"
LATEST = "SELECT student, key, results FROM attempts WHERE id IN (SELECT max(id) FROM attempts GROUP BY student)"
COLUMNS = ("student", "key", "submission_sha256", "status", "score", "max_score", "results")
ADD = f"INSERT INTO attempts ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"


class Gradebook:
    """Every attempt of every student, oldest first. Every method raises OutputError when the file is of no use."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._connection = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
        except sqlite3.Error as error:
            raise self._told(error) from error
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        try:
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if tables and version != VERSION:
                raise OutputError(
                    f"{self._path} was written by another version of grade (its format is {version}, this one's "
                    f"{VERSION}): give another folder with -o."
                )
            (found,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise self._damaged(found)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")  # whole after a power cut, the last rows may be lost
            if not tables:
                self._connection.executescript(f"BEGIN; {SCHEMA}; {INDEX}; PRAGMA user_version={VERSION}; COMMIT")
        except sqlite3.Error as error:
            raise self._told(error) from error

    def add(self, key: str, results: dict[str, Any]) -> None:
        """One attempt. With an empty key it is history only: the submission will be graded again."""
        fields = {**results, "key": key, "results": json.dumps(results)}
        try:
            self._connection.execute(ADD, [fields[name] for name in COLUMNS])
        except sqlite3.Error as error:
            raise self._told(error) from error

    def latest(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """(student, key, results) of each student's last attempt."""
        try:
            for student, key, results in self._connection.execute(LATEST):
                yield student, key, json.loads(results)
        except sqlite3.Error as error:
            raise self._told(error) from error

    def close(self) -> None:
        self._connection.close()

    def _damaged(self, reason: str) -> OutputError:
        return OutputError(
            f"{self._path} is damaged ({reason.splitlines()[0]}); nothing was changed. Move it away (all are graded "
            "again) or give another folder with -o."
        )

    def _told(self, error: sqlite3.Error) -> OutputError:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_BUSY") or name.startswith("SQLITE_LOCKED"):
            return OutputError(
                f"another program has {self._path} open for writing: close it, then run the same command again."
            )
        if name in ("SQLITE_NOTADB", "SQLITE_ERROR") or name.startswith("SQLITE_CORRUPT"):
            return self._damaged(str(error))
        if name == "SQLITE_FULL" or name.startswith("SQLITE_IOERR"):
            return OutputError(
                f"{self._path} cannot be written ({error}): make room and run the same command again, which grades "
                "only what is missing."
            )
        return OutputError(f"{self._path} cannot be written ({error}): give another folder with -o.")
