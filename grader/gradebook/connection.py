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

    def execute_script(self, statements: str) -> None:
        with self._sqlite_errors():
            self._connection.executescript(statements)

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
TABLES = Path(__file__).with_name("tables.sql")


def prepare_tables(connection: Connection) -> None:
    """Make the tables of a new file, all or none.

    Raises OutputError for a file that is damaged or has another format.
    """
    ((version,),) = connection.rows("PRAGMA user_version")
    ((tables,),) = connection.rows("SELECT count(*) FROM sqlite_master")
    if tables and version != GRADEBOOK_VERSION:
        raise OutputError(
            f"{connection.path} has format {version}, and this version of grade reads format {GRADEBOOK_VERSION}: "
            "give another folder with -o, and grade the submissions again there."
        )
    ((integrity,),) = connection.rows("PRAGMA quick_check(1)")
    if integrity != "ok":
        raise connection.damage_error(integrity)
    if not connection.is_read_only:
        connection.execute("PRAGMA journal_mode=WAL")
        if not tables:
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute_script(TABLES.read_text(encoding="utf-8"))
        connection.execute("PRAGMA synchronous=NORMAL")  # whole after a power cut, the last attempts may be lost
