"""What a gradebook keeps, row by row: attempts, verdicts, times, decisions, who is who, files, and notes by name."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from grader.gradebook.connection import Connection, prepare_tables
from grader.gradebook.files import OutputError
from grader.gradebook.records import Attempt, Decision
from grader.intake.submissions.submission import Submission
from grader.results import SubmissionResult
from grader.typed_json import from_json, time_from_text, time_to_text, to_json

NEWEST = """
WITH newest AS (
    SELECT a.id, a.student, coalesce(t.submitted, a.submitted) AS submitted, a.finished,
        coalesce(v.results, a.results) AS results, coalesce(t.source, '') AS time_source,
        coalesce(nullif(t.platform, ''), a.platform) AS platform, coalesce(v.key, a.key) AS key, a.submission,
        coalesce(v.conditions, a.conditions) AS conditions, coalesce(v.extras, a.extras) AS extras
    FROM attempts a LEFT JOIN verdicts v ON v.id = (SELECT max(id) FROM verdicts WHERE attempt = a.id AND applied)
        LEFT JOIN times t ON t.id = (SELECT max(id) FROM times WHERE attempt = a.id)
)
SELECT * FROM newest
"""
"""Every attempt, as an Attempt is made, with its newest verdict that is applied and the newest time of a file."""
NAME_MARK = "name "
"""Begins the mark of a student who had this name before."""
DECISION_COLUMNS = [each.name for each in fields(Decision)]


class StoredVerdict(NamedTuple):
    """A verdict on an attempt, as the gradebook stores it; `conditions` and `extras` are any typed values."""

    key: str
    results: SubmissionResult
    conditions: Any
    extras: Any = None


class Store:
    """A file OUT/gradebook.sqlite. Every method raises OutputError when it cannot be read or written."""

    def __init__(self, path: Path, read_only: bool = False) -> None:
        """With `read_only`, the file may be a backup that cannot be written."""
        self._connection = Connection(path, read_only=read_only)
        try:
            prepare_tables(self._connection)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._connection.close()

    # Attempts and verdicts --------------------------------------------------------------------------------------------

    def add(self, verdict: StoredVerdict, submission: Submission, stale: bool = False) -> int:
        """Add one attempt; returns its id. With an empty key the submission will be graded again.

        If `stale`, the student's folder does not show it yet.
        """
        results = verdict.results
        with self._connection.transaction():
            if stale:
                self.mark_stale([results.student])
            when = None if submission.submitted is None else time_to_text(submission.submitted)
            values = {
                "student": results.student,
                "submission_sha256": results.submission_sha256,
                "status": results.status,
                "score": results.score,
                "max_score": results.max_score,
                "submitted": when,
                "platform": submission.platform,
                "submission": self.store_value(submission),
            }
            attempt = self._connection.insert("attempts", values | self._columns(verdict))
            if when is not None and submission.time_source:
                self._add_time(attempt, when, submission.time_source, submission.platform)
            return attempt

    def set_time(self, attempt: int, when: datetime, source: str, platform: str = "") -> None:
        """Record when an attempt was submitted, as a file says, and whether the platform calls that late.

        The student's folder is stale if anything of it is new.
        """
        stored = self.attempt(attempt)
        if stored.submitted != when or platform not in ("", stored.platform):
            with self._connection.transaction():
                self._add_time(attempt, time_to_text(when), source, platform or stored.platform)
                self.mark_stale([stored.student])

    def add_verdict(self, attempt: int, verdict: StoredVerdict) -> None:
        """Store a new verdict on an attempt, which counts only after `apply_verdicts`."""
        with self._connection.transaction():
            self._connection.insert("verdicts", {"attempt": attempt} | self._columns(verdict))

    def waiting_verdict(self, attempt: int, key: str) -> SubmissionResult | None:
        """The newest verdict on an attempt, if it was stored under this key and is not applied."""
        query = "SELECT key, applied, results FROM verdicts WHERE attempt = ? ORDER BY id DESC LIMIT 1"
        for found, applied, results in self._connection.rows(query, attempt):
            if found == key and not applied:
                return SubmissionResult.from_text(results)
        return None

    def apply_verdicts(self, keys: Mapping[int, str]) -> None:
        """Make the newest verdict on each attempt count, all or none; `keys` are {attempt's id: its key from then on}.

        The students' folders are stale from then on.
        """
        apply = "UPDATE verdicts SET applied = 1, key = ? WHERE id = (SELECT max(id) FROM verdicts WHERE attempt = ?)"
        with self._connection.transaction(durable=True):
            for attempt, key in keys.items():
                self._connection.execute(apply, (key, attempt))
                self.mark_stale([self.attempt(attempt).student])

    def _columns(self, verdict: StoredVerdict) -> dict[str, Any]:
        return {
            "key": verdict.key,
            "results": json.dumps(verdict.results.to_json()),
            "conditions": self.store_value(verdict.conditions),
            "extras": None if verdict.extras is None else self.store_value(verdict.extras),
        }

    def _add_time(self, attempt: int, when: str, source: str, platform: str) -> None:
        values = {"attempt": attempt, "submitted": when, "source": source, "platform": platform}
        self._connection.insert("times", values)

    def _attempts(self, chosen: str, *values: Any) -> Iterator[Attempt]:
        """Those that a clause of SQL chooses, in its order."""
        for number, student, submitted, finished, *others in self._connection.rows(f"{NEWEST} {chosen}", *values):
            when = None if submitted is None else time_from_text(submitted)
            yield Attempt(number, student, when, time_from_text(finished), *others)

    def attempts(self, student: str | None = None) -> Iterator[Attempt]:
        """Every attempt, or those of one student, newest first."""
        if student is None:
            return self._attempts("ORDER BY id DESC")
        return self._attempts("WHERE student = ? ORDER BY id DESC", student)

    def by_student(self) -> Iterator[tuple[str, list[Attempt]]]:
        """(student, attempts with the newest first), in order of name backwards."""
        for student, own in groupby(self._attempts("ORDER BY student DESC, id DESC"), key=lambda each: each.student):
            yield student, list(own)

    def attempt(self, number: int) -> Attempt:
        """One attempt, by its id."""
        (found,) = self._attempts("WHERE id = ?", number)
        return found

    def has_submission(self, student: str, sha256: str) -> bool:
        """Whether this very submission was graded under a student's name."""
        query = "SELECT 1 FROM attempts WHERE student = ? AND submission_sha256 = ? LIMIT 1"
        return any(self._connection.rows(query, student, sha256))

    def verdicts_on(self, student: str) -> Iterator[tuple[int, str, SubmissionResult]]:
        """(attempt's id, when, results) of every verdict on a student's attempts, the first and those of regrades."""
        query = (
            "SELECT id AS attempt, finished, results, 0 AS place FROM attempts WHERE student = ?1 "
            "UNION ALL SELECT v.attempt, v.finished, v.results, v.id FROM verdicts v JOIN attempts a "
            "ON a.id = v.attempt WHERE a.student = ?1 AND applied ORDER BY attempt, place"
        )
        for attempt, finished, text, _ in self._connection.rows(query, student):
            yield attempt, finished, SubmissionResult.from_text(text)

    # Decisions --------------------------------------------------------------------------------------------------------

    def decide(self, decisions: Iterable[Decision]) -> list[Decision]:
        """Store all of them or none; returned, they are on disk, with their ids. Their students' folders are stale."""
        stored = []
        with self._connection.transaction(durable=True):
            for each in decisions:
                values = to_json(each)
                del values["id"]
                stored.append(replace(each, id=self._connection.insert("decisions", values)))
            self.mark_stale({each.student for each in stored})
        return stored

    def decisions(self, student: str | None = None) -> list[Decision]:
        """All of them, or those about one student, in the order in which they were made."""
        chosen = () if student is None else (student,)
        where = "WHERE student = ?" if chosen else ""
        query = f"SELECT {', '.join(DECISION_COLUMNS)} FROM decisions {where} ORDER BY id"
        rows = self._connection.rows(query, *chosen)
        return [from_json(Decision, dict(zip(DECISION_COLUMNS, row, strict=True))) for row in rows]

    # Who is who -------------------------------------------------------------------------------------------------------

    def students(self) -> list[str]:
        """Everybody with an attempt or a decision."""
        query = "SELECT student FROM attempts UNION SELECT student FROM decisions ORDER BY student"
        return [student for (student,) in self._connection.rows(query)]

    def people(self) -> dict[str, set[str]]:
        """{student: what says who they are: ids, addresses, accounts, earlier names, as "email ada@example.org"}"""
        found = dict[str, set[str]]()
        for student, mark in self._connection.rows("SELECT student, mark FROM people"):
            found.setdefault(student, set()).add(mark)
        return found

    def add_marks(self, marks: Mapping[str, Collection[str]]) -> None:
        """Remember what says who students are."""
        rows = ((student, mark) for student, own in marks.items() for mark in own)
        with self._connection.transaction():
            self._connection.execute_each("INSERT OR IGNORE INTO people VALUES (?, ?)", rows)

    def rename(self, names: Mapping[str, str]) -> None:
        """Give students other names, {name: the new one}: all that is stored goes with them, or nothing does.

        Two may exchange their names. The students' folders are stale from then on.
        """
        with self._connection.transaction(durable=True):
            for table in ("attempts", "decisions", "people"):
                for before, after in names.items():  # by way of a name that nobody has
                    update = f"UPDATE OR REPLACE {table} SET student = char(31) || ? WHERE student = ?"
                    self._connection.execute(update, (after, before))
                self._connection.execute(
                    f"UPDATE OR REPLACE {table} SET student = substr(student, 2) WHERE student LIKE char(31) || '%'"
                )
            self.add_marks({after: [NAME_MARK + before] for before, after in names.items()})
            self._connection.execute_each("DELETE FROM stale WHERE student = ?", ((before,) for before in names))
            self.mark_stale(names.values())

    # Files and notes --------------------------------------------------------------------------------------------------

    def store_value(self, value: Any) -> str:
        """Keep a typed value; returns its key. Files in it, as bytes, are kept once, however often they come."""
        return self._store_bytes(json.dumps(to_json(value, self._store_bytes), separators=(",", ":")).encode())

    def _store_bytes(self, data: bytes) -> str:
        key = hashlib.sha256(data).hexdigest()
        if not any(self._connection.rows("SELECT 1 FROM blobs WHERE sha256 = ?", key)):
            self._connection.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (key, zlib.compress(data)))
        return key

    def load_value(self, kind: Any, key: str) -> Any:
        """The value of type `kind` under `key`."""
        return from_json(kind, json.loads(self._load_bytes(key)), self._load_bytes)

    def _load_bytes(self, key: str) -> bytes:
        for (data,) in self._connection.rows("SELECT data FROM blobs WHERE sha256 = ?", key):
            return zlib.decompress(data)
        raise OutputError(f"{self._connection.path} is damaged (a stored file is missing): use a copy of it.")

    def submission(self, attempt: Attempt) -> Submission:
        """What was submitted."""
        found: Submission = self.load_value(Submission, attempt.submission)
        return found

    def extras(self, attempt: Attempt) -> dict[str, Any]:
        """What only the report shows of an attempt."""
        return {} if attempt.extras is None else self.load_value(dict[str, Any], attempt.extras)

    def about(self) -> dict[str, str]:
        """The entries that `describe` wrote: the course and the seeds of the attempts."""
        return dict(self._connection.rows("SELECT name, value FROM about"))

    def describe(self, about: Mapping[str, str]) -> None:
        """Store which course and which seeds the attempts have. An entry that is not named stays as it is."""
        if not about.items() <= self.about().items():
            self._connection.execute_each("INSERT OR REPLACE INTO about VALUES (?, ?)", about.items())

    def keep(self, name: str, value: str) -> None:
        """Leave a text for later commands."""
        self._connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, value))

    def kept(self, name: str) -> str | None:
        return next((text for (text,) in self._connection.rows("SELECT value FROM kept WHERE name = ?", name)), None)

    def mark_stale(self, students: Iterable[str]) -> None:
        """These students' folders in OUT are out of date, until `mark_written` says otherwise."""
        self._connection.execute_each("INSERT OR IGNORE INTO stale VALUES (?)", ((each,) for each in students))

    def mark_written(self, student: str) -> None:
        self._connection.execute("DELETE FROM stale WHERE student = ?", (student,))

    def stale(self) -> list[str]:
        return [student for (student,) in self._connection.rows("SELECT student FROM stale ORDER BY student")]
