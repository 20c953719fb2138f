"""A gradebook's SQLite file: its tables, and a connection whose errors are sentences about the file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.gradebook.files import OutputError

WAIT_SECONDS = 5.0  # for another program that has the book open for writing


class Connection:
    """An SQLite file. Every method raises OutputError when the file cannot be read or written."""

    def __init__(self, path: Path, read_only: bool = False) -> None:
        """With `read_only`, the file may be unwritable."""
        self.path = path
        self.is_read_only = read_only and path.is_file() and not is_writable(path)
        with self._sqlite_errors():
            self._connection = sqlite3.connect(
                address_of_backup(path) if self.is_read_only else path,
                timeout=WAIT_SECONDS,
                isolation_level=None,
                uri=self.is_read_only,
            )

    def execute(self, statement: str, values: Iterable[Any] = ()) -> int:
        """Execute one statement; returns the id of the row that it inserted."""
        with self._sqlite_errors():
            return self._connection.execute(statement, tuple(values)).lastrowid or 0

    def insert(self, table: str, values: Mapping[str, Any]) -> int:
        """Insert a row, {column: value}; returns its id."""
        places = ", ".join("?" * len(values))
        return self.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({places})", values.values())

    def execute_each(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute one statement for each row of values."""
        with self._sqlite_errors():
            self._connection.executemany(statement, rows)

    def rows(self, query: str, *values: Any) -> Iterator[Any]:
        with self._sqlite_errors():
            yield from self._connection.execute(query, values)

    @contextmanager
    def transaction(self, durable: bool = False) -> Iterator[None]:
        """All that is written inside, or nothing of it. If it is `durable`, it survives a power cut from then on.

        A transaction inside another one is a part of it.
        """
        if self._connection.in_transaction:
            yield
            return
        if durable:
            self.execute("PRAGMA synchronous=FULL")
        try:
            self.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.execute("ROLLBACK")
                raise
            self.execute("COMMIT")
        finally:
            if durable:
                self.execute("PRAGMA synchronous=NORMAL")

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _sqlite_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._output_error(error) from error

    def damage_error(self, reason: str) -> OutputError:
        return OutputError(
            f"{self.path} is damaged ({reason.splitlines()[0]}); nothing was changed. Move it away (all are graded "
            "again) or give another folder with -o."
        )

    def _output_error(self, error: sqlite3.Error) -> OutputError:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_BUSY") or name.startswith("SQLITE_LOCKED"):
            return OutputError(
                f"another program has {self.path} open for writing: close it, then run the same command again."
            )
        if name in ("SQLITE_NOTADB", "SQLITE_ERROR") or name.startswith("SQLITE_CORRUPT"):
            return self.damage_error(str(error))
        if name == "SQLITE_FULL" or name.startswith("SQLITE_IOERR"):
            return OutputError(
                f"{self.path} cannot be written ({error}): make room and run the same command again, which grades "
                "only what is missing."
            )
        return OutputError(
            f"{self.path} cannot be written ({error}): give another folder with -o, such as a copy of this one."
        )


def is_writable(path: Path) -> bool:
    """Whether SQLite can write a file, and the files that it needs next to it."""
    return all(os.access(each, os.W_OK, effective_ids=True) for each in (path, path.absolute().parent))


def address_of_backup(path: Path) -> str:
    """The address of a file that cannot be written. Unless a log is next to it, nobody is writing it elsewhere."""
    log = path.with_name(f"{path.name}-wal")
    alone = "" if log.is_file() and log.stat().st_size else "&immutable=1"
    return f"{path.absolute().as_uri()}?mode=ro{alone}"


GRADEBOOK_VERSION = 7
FIXED_COLUMNS = ("id", "kind", "author", "made", "row", "points", "until", "text", "undoes")
"""The columns of a decision that never change: all but the student's name, a label that a roster may change."""
TABLES = (
    """CREATE TABLE attempts (
        id INTEGER PRIMARY KEY,
        student TEXT NOT NULL,
        key TEXT NOT NULL,
        submission_sha256 TEXT NOT NULL,
        status TEXT NOT NULL,
        score REAL NOT NULL,
        max_score REAL NOT NULL,
        finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
        results TEXT NOT NULL,
        submitted TEXT,  -- ISO 8601 with a time zone; NULL if nothing says so
        platform TEXT NOT NULL DEFAULT '',  -- "late" or "on time", where the platform itself says so
        submission TEXT NOT NULL,  -- the blob of the Submission
        conditions TEXT NOT NULL,  -- the blob of the Conditions under which it was graded
        extras TEXT  -- the blob of what only the report shows
    )""",
    "CREATE INDEX attempts_of_a_student ON attempts (student, id)",
    # the verdicts of `grade regrade` on an attempt; the newest that is applied takes the place of the attempt's own
    """CREATE TABLE verdicts (
        id INTEGER PRIMARY KEY,
        attempt INTEGER NOT NULL REFERENCES attempts (id),
        key TEXT NOT NULL,
        finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
        results TEXT NOT NULL,
        conditions TEXT NOT NULL,
        extras TEXT,
        applied INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX verdicts_of_an_attempt ON verdicts (attempt, id)",
    # when an attempt was submitted, by a file that a person gave; the newest takes the place of the attempt's own
    """CREATE TABLE times (
        id INTEGER PRIMARY KEY,
        attempt INTEGER NOT NULL REFERENCES attempts (id),
        submitted TEXT NOT NULL,
        source TEXT NOT NULL,
        platform TEXT NOT NULL DEFAULT '',
        made TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    )""",
    "CREATE INDEX times_of_an_attempt ON times (attempt, id)",
    """CREATE TABLE decisions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        student TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('points', 'comment', 'excuse', 'extension', 'undo', 'defence')),
        author TEXT NOT NULL,
        made TEXT NOT NULL,
        row TEXT,
        points REAL,
        until TEXT,
        text TEXT NOT NULL DEFAULT '',
        undoes INTEGER REFERENCES decisions (id)
    )""",
    "CREATE INDEX decisions_about_a_student ON decisions (student, id)",
    *(
        f"CREATE TRIGGER {table}_are_never_{done} BEFORE {act} ON {table} "
        f"BEGIN SELECT raise(ABORT, 'entries of {table} are never {done}'); END"
        for table, act, done in (
            ("decisions", f"UPDATE OF {', '.join(FIXED_COLUMNS)}", "changed"),
            ("decisions", "DELETE", "deleted"),
            ("attempts", "DELETE", "deleted"),
            ("verdicts", "DELETE", "deleted"),
            ("times", "DELETE", "deleted"),
        )
    ),
    "CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID",  # compressed
    # what says who a student is: "email ada@example.org", "account Canvas 101", "name Ada Smith" for an earlier name
    "CREATE TABLE people (student TEXT, mark TEXT, PRIMARY KEY (student, mark)) WITHOUT ROWID",
    # the course and the seeds of the attempts
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # what a run leaves for the pages that later commands write: the roster
    "CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # students whose folder in OUT is out of date, until it is written again
    "CREATE TABLE stale (student TEXT PRIMARY KEY) WITHOUT ROWID",
    f"PRAGMA user_version={GRADEBOOK_VERSION}",
)


def prepare_tables(connection: Connection) -> None:
    """Make the tables of a new file, in a single transaction.

    Raises OutputError for a file that is damaged or has another format.
    """
    is_new = is_empty(connection)
    ((integrity,),) = connection.rows("PRAGMA quick_check(1)")
    if integrity != "ok":
        raise connection.damage_error(integrity)
    if connection.is_read_only:
        return
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")  # whole after a power cut, the last attempts may be lost
    if is_new:
        with connection.transaction(durable=True):
            for statement in TABLES if is_empty(connection) else ():  # another program may have been first
                connection.execute(statement)


def is_empty(connection: Connection) -> bool:
    """Whether the file has no tables yet. Raises OutputError where they have another format."""
    ((version,),) = connection.rows("PRAGMA user_version")
    ((tables,),) = connection.rows("SELECT count(*) FROM sqlite_master")
    if tables and version != GRADEBOOK_VERSION:
        raise OutputError(
            f"{connection.path} has format {version}, and this version of grade reads format {GRADEBOOK_VERSION}: "
            "give another folder with -o, and grade the submissions again there."
        )
    return not tables
