"""A connection to a gradebook's SQLite file, whose errors are sentences about the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.gradebook.files import OutputError

WAIT_SECONDS = 5.0  # for another program that has the book open for writing


class Connection:
    """An SQLite file. Every method raises OutputError when the file cannot be read or written."""

    def __init__(self, path: Path, any_thread: bool = False) -> None:
        """With `any_thread`, threads may use it in turns."""
        self.path = path
        with self._sqlite_errors():
            self._connection = sqlite3.connect(
                path, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=not any_thread
            )

    def execute(self, statement: str, values: Iterable[Any] = ()) -> int:
        """Execute one statement; returns the id of the row that it inserted."""
        with self._sqlite_errors():
            return self._connection.execute(statement, tuple(values)).lastrowid or 0

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

    def damaged(self, reason: str) -> OutputError:
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
            return self.damaged(str(error))
        if name == "SQLITE_FULL" or name.startswith("SQLITE_IOERR"):
            return OutputError(
                f"{self.path} cannot be written ({error}): make room and run the same command again, which grades "
                "only what is missing."
            )
        return OutputError(f"{self.path} cannot be written ({error}): give another folder with -o.")
