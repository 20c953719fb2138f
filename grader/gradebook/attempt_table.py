"""Attempts in the gradebook's file and the verdicts on them, and notes by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from grader.gradebook.blobs import Blobs
from grader.gradebook.connection import Connection
from grader.gradebook.records import Attempt
from grader.intake.submissions.submission import Submission
from grader.intake.submissions.submission_times import SubmissionTime
from grader.results import SubmissionResult
from grader.results.typed_json import time_from_text, time_to_text

ATTEMPT_FIELDS = ("student", "submission_sha256", "status", "score", "max_score")
"""Of the results, those that have a column."""
NEWEST = """
WITH newest AS (
    SELECT a.id, a.student, coalesce(t.submitted, a.submitted) AS submitted, t.source AS time_source,
        k.value AS platform, a.finished, a.submission,
        coalesce(v.key, a.key) AS key, coalesce(v.results, a.results) AS results,
        coalesce(v.conditions, a.conditions) AS conditions, coalesce(v.extras, a.extras) AS extras
    FROM attempts a LEFT JOIN verdicts v ON v.id = (SELECT max(id) FROM verdicts WHERE attempt = a.id AND {applied})
        LEFT JOIN times t ON t.id = (SELECT max(id) FROM times WHERE attempt = a.id)
        LEFT JOIN kept k ON k.name = 'platform of ' || a.id
)
"""
"""Every attempt with its newest verdict that is `applied`, its time of submission, and what the platform says of it."""
APPLY = "UPDATE verdicts SET applied = 1, key = ? WHERE id = (SELECT max(id) FROM verdicts WHERE attempt = ?)"


class StoredAttempt(NamedTuple):
    """An attempt with its newest verdict, as the columns are."""

    id: int
    student: str
    submitted: str | None
    time_source: str | None
    platform: str | None
    finished: str
    key: str
    results: str
    submission: str
    conditions: str
    extras: str | None

    def read(self) -> SubmissionResult:
        results = SubmissionResult.from_text(self.results)
        for lesson in results.lessons:
            lesson.from_attempt = self.id
        return results

    def attempt(self, results: SubmissionResult | None = None) -> Attempt:
        """The attempt with its results, or with these ones."""
        submitted = None if self.submitted is None else time_from_text(self.submitted)
        finished = time_from_text(self.finished)
        about = self.time_source or "", self.platform or ""
        return Attempt(self.id, self.student, submitted, finished, results or self.read(), *about)


class StoredVerdict(NamedTuple):
    """A verdict on an attempt, as the gradebook stores it; `conditions` and `extras` are any typed values."""

    key: str
    results: SubmissionResult
    conditions: Any
    extras: Any = None


class AttemptTable:
    """Every attempt of every student, and notes by name: the course, what later commands need, which pages are stale.

    Every method raises OutputError when the file cannot be read or written.

    Attributes:
        blobs: submitted files, and what only reports show.
    """

    def __init__(self, connection: Connection, has_applied: bool) -> None:
        """In a file without the column `applied`, an earlier format, every verdict is applied."""
        self._connection = connection
        self._applied = "applied" if has_applied else "1"
        self._newest = NEWEST.format(applied=self._applied)
        self._all_attempts = f"{self._newest} SELECT {', '.join(StoredAttempt._fields)} FROM newest"
        self.blobs = Blobs(connection)

    def add(self, verdict: StoredVerdict, submission: Submission, stale: bool = False) -> int:
        """Add one attempt; returns its id. With an empty key the submission will be graded again.

        If `stale`, the student's folder does not show it yet.
        """
        results = verdict.results
        with self._connection.transaction():
            if stale:
                self.mark_stale([results.student])
            when = None if submission.submitted is None else time_to_text(submission.submitted)
            about = {name: getattr(results, name) for name in ATTEMPT_FIELDS} | self._stored(verdict)
            files = self.blobs.store_value(submission)
            attempt = self._connection.insert("attempts", about | {"submitted": when, "submission": files})
            if when is not None and submission.time_source:
                self._add_time(attempt, when, submission.time_source)
            if submission.platform:
                self.keep(f"platform of {attempt}", submission.platform)
            return attempt

    def set_time(self, attempt: int, when: datetime, source: str, platform: str = "") -> None:
        """Record when an attempt was submitted, as a file says, and whether the platform calls that late.

        The student's folder is stale if anything of it is new.
        """
        stored = self.stored(attempt)
        is_new = stored.submitted is None or time_from_text(stored.submitted) != when
        if is_new or platform not in ("", stored.platform):
            with self._connection.transaction():
                if is_new:
                    self._add_time(attempt, time_to_text(when), source)
                if platform:
                    self.keep(f"platform of {attempt}", platform)
                self.mark_stale([stored.student])

    def set_earlier_times(self, student: str, times: Sequence[SubmissionTime]) -> None:
        """Record the times of attempts before the last, if the file has as many times as there are attempts."""
        if len(times) == 1:
            return
        attempts = {each.read().submission_sha256: each for each in self.stored_attempts(student)}  # by first attempt
        if len(attempts) == len(times):
            for stored, time in zip(attempts.values(), times, strict=True):
                if stored.submitted is None:
                    self.set_time(stored.id, time.when, time.place, time.platform)

    def add_verdict(self, attempt: int, verdict: StoredVerdict) -> None:
        """Store a new verdict on an attempt, which counts only after `apply_verdicts`."""
        with self._connection.transaction():
            self._connection.insert("verdicts", {"attempt": attempt, "applied": False} | self._stored(verdict))

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
        with self._connection.transaction(durable=True):
            for attempt, key in keys.items():
                self._connection.execute(APPLY, (key, attempt))
                self.mark_stale([self.stored(attempt).student])

    def _stored(self, verdict: StoredVerdict) -> dict[str, Any]:
        """The columns of a verdict."""
        return {
            "key": verdict.key,
            "results": json.dumps(verdict.results.to_json()),
            "conditions": self.blobs.store_value(verdict.conditions),
            "extras": None if verdict.extras is None else self.blobs.store_value(verdict.extras),
        }

    def _add_time(self, attempt: int, when: str, source: str) -> None:
        self._connection.insert("times", {"attempt": attempt, "submitted": when, "source": source})

    def attempts(self) -> Iterator[tuple[str, str, int]]:
        """(student, key of the newest verdict, id) of every attempt, oldest first."""
        yield from self._connection.rows(f"{self._newest} SELECT student, key, id FROM newest ORDER BY id")

    def stored(self, attempt: int) -> StoredAttempt:
        """One attempt, by its id."""
        (values,) = self._connection.rows(f"{self._all_attempts} WHERE id = ?", attempt)
        return StoredAttempt._make(values)

    def results_of(self, attempt: int) -> SubmissionResult | None:
        """The results of one attempt; None if they cannot be read, for a fault of the grader."""
        stored = self.stored(attempt)
        try:
            return stored.read()
        except Exception:
            return None

    def attempts_of(self, student: str, after: int = 0) -> list[SubmissionResult]:
        """The results of a student's attempts, newest first; only those with an id above `after`."""
        query = f"{self._newest} SELECT results FROM newest WHERE student = ? AND id > ? ORDER BY id DESC"
        return [SubmissionResult.from_text(text) for (text,) in self._connection.rows(query, student, after)]

    def stored_attempts(self, student: str | None = None) -> Iterator[StoredAttempt]:
        """Every attempt, or those of one student, oldest first."""
        chosen = () if student is None else (student,)
        query = f"{self._all_attempts} {'WHERE student = ?' if chosen else ''} ORDER BY id"
        yield from map(StoredAttempt._make, self._connection.rows(query, *chosen))

    def by_student(self) -> Iterator[tuple[str, list[StoredAttempt]]]:
        """(student, attempts with the newest first)"""
        rows_in_order = self._connection.rows(f"{self._all_attempts} ORDER BY student DESC, id DESC")
        for student, rows in groupby(rows_in_order, key=lambda row: str(row[1])):
            yield student, list(map(StoredAttempt._make, rows))

    def verdicts_on(self, student: str) -> Iterator[tuple[int, str, SubmissionResult]]:
        """(attempt's id, when, results) of every verdict on a student's attempts, the first and those of regrades."""
        query = (
            "SELECT id AS attempt, finished, results, 0 AS place FROM attempts WHERE student = ?1 "
            "UNION ALL SELECT v.attempt, v.finished, v.results, v.id FROM verdicts v JOIN attempts a "
            f"ON a.id = v.attempt WHERE a.student = ?1 AND {self._applied} ORDER BY attempt, place"
        )
        for attempt, finished, text, _ in self._connection.rows(query, student):
            yield attempt, finished, SubmissionResult.from_text(text)

    # Notes ------------------------------------------------------------------------------------------------------------

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
