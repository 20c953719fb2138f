"""OUT/gradebook.sqlite: every result as it arrives, so that whatever ends a run loses only what was in flight."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

from grader.gradebook.current import current_results
from grader.gradebook.files import OutputError
from grader.results import SubmissionResult

GRADEBOOK = "gradebook.sqlite"
VERSION = 2
RENAMED = "renamed "
"""Begins the name of an entry about a student whom a roster has renamed; its value is the last attempt hidden."""
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
ABOUT = "CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
ADD = (
    "INSERT INTO attempts (student, key, submission_sha256, status, score, max_score, results) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)


class Gradebook:
    """Every attempt of every student. Every method raises OutputError when the file cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._sqlite_errors():
            self._connection = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        with self._sqlite_errors():
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if tables and version != VERSION:
                raise OutputError(
                    f"{self._path} was written by another version of grade (its format is {version}, this one's "
                    f"{VERSION}): give another folder with -o."
                )
            (integrity,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
            if integrity != "ok":
                raise self._damaged(integrity)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")  # whole after a power cut, the last rows may be lost
            if not tables:
                self._connection.executescript(f"BEGIN; {SCHEMA}; {INDEX}; PRAGMA user_version={VERSION}; COMMIT")

    def add(self, key: str, results: SubmissionResult) -> None:
        """Add one attempt. With an empty key it is history only: the submission will be graded again."""
        text = json.dumps(results.to_json())
        about = results.submission_sha256, results.status, results.score, results.max_score
        with self._sqlite_errors():
            self._connection.execute(ADD, (results.student, key, *about, text))

    def attempts(self) -> Iterator[tuple[str, str, int]]:
        """(student, key, id) of every attempt, oldest first."""
        yield from self._rows("SELECT student, key, id FROM attempts ORDER BY id")

    def results(self, attempt: int) -> SubmissionResult:
        """The results of one attempt, by its id."""
        ((text,),) = self._rows("SELECT results FROM attempts WHERE id = ?", attempt)
        return SubmissionResult.from_text(text)

    def attempts_of(self, student: str, after: int = 0) -> list[SubmissionResult]:
        """The results of a student's attempts, newest first; only those with an id above `after`."""
        rows = self._rows("SELECT results FROM attempts WHERE student = ? AND id > ? ORDER BY id DESC", student, after)
        return [SubmissionResult.from_text(text) for (text,) in rows]

    def current(self) -> Iterator[SubmissionResult]:
        """The current results of every student: what the class page, grades.csv and all exports show."""
        renamed = {
            name.removeprefix(RENAMED): value for name, value in self.about().items() if name.startswith(RENAMED)
        }
        rows = self._rows("SELECT student, id, results FROM attempts ORDER BY student DESC, id DESC")
        for student, attempts in groupby(rows, key=lambda row: row[0]):
            newest_first = list(attempts)
            if renamed.get(student) != str(newest_first[0][1]):
                yield current_results([SubmissionResult.from_text(text) for _, _, text in newest_first])

    def rename(self, student: str, names: Iterable[str]) -> list[str]:
        """Hide the results under earlier `names` of `student`; gives the names that are hidden from now on.

        A name is hidden only if the very submission that `student` has now was graded under it, and if it has no lesson
        that `student` has not. A later attempt under that name shows it again.
        """
        newest = self._rows(
            "SELECT submission_sha256 FROM attempts WHERE student = ? ORDER BY id DESC LIMIT 1", student
        )
        (sha256,) = next(newest, (None,))
        hidden = []
        for name in names:
            query = "SELECT max(id), max(submission_sha256 = ?) FROM attempts WHERE student = ?"
            ((latest, same),) = self._rows(query, sha256, name)
            if same:
                here, there = (
                    {lesson.name for lesson in current_results(self.attempts_of(who)).lessons}
                    for who in (student, name)
                )
                if there <= here:
                    self.describe({RENAMED + name: str(latest)})
                    hidden.append(name)
        return hidden

    def about(self) -> dict[str, str]:
        """The entries that `describe` wrote: the course and the seeds of the attempts."""
        if not list(self._rows("SELECT 1 FROM sqlite_master WHERE name = 'about'")):
            return {}
        return dict(self._rows("SELECT name, value FROM about"))

    def describe(self, about: Mapping[str, str]) -> None:
        """Store which course and which seeds the attempts have. An entry that is not named stays as it is."""
        if about.items() <= self.about().items():
            return
        with self._sqlite_errors():
            self._connection.execute(ABOUT)
            self._connection.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", about.items())

    def _rows(self, query: str, *values: Any) -> Iterator[Any]:
        with self._sqlite_errors():
            yield from self._connection.execute(query, values)

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _sqlite_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._output_error(error) from error

    def _damaged(self, reason: str) -> OutputError:
        return OutputError(
            f"{self._path} is damaged ({reason.splitlines()[0]}); nothing was changed. Move it away (all are graded "
            "again) or give another folder with -o."
        )

    def _output_error(self, error: sqlite3.Error) -> OutputError:
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
