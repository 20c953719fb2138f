"""OUT/gradebook.sqlite: attempts, verdicts and decisions, kept for ever and stored as they arrive."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.in_force import in_force
from grader.gradebook.assignment.points import assigned
from grader.gradebook.connection import Connection
from grader.gradebook.current import current_results, without_repeated
from grader.gradebook.decisions import DecisionTable
from grader.gradebook.plain_values import from_plain, time_from_text, time_to_text, to_plain
from grader.gradebook.records import Attempt, Decision
from grader.gradebook.schema import ABOUT, prepare
from grader.gradebook.stored_files import Blobs
from grader.gradebook.term import Term
from grader.intake.submissions.submission import Submission
from grader.results import SubmissionResult

GRADEBOOK = "gradebook.sqlite"
RENAMED = "renamed "
"""Begins the name of an entry about a student whom a roster has renamed; its value is the last attempt hidden."""
NEW_NAME = "new name of "
"""Begins the name of an entry whose value is the name that a roster has given to a student."""
ADD = (
    "INSERT INTO attempts (student, key, submission_sha256, status, score, max_score, results, submitted, submission, "
    "conditions, extras) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
ADD_VERDICT = "INSERT INTO verdicts (attempt, key, results, conditions, extras) VALUES (?, ?, ?, ?, ?)"
ASSIGNMENT = "assignment"
NEWEST = """
WITH newest AS (
    SELECT a.id, a.student, a.submitted, a.finished, a.submission,
        coalesce(v.key, a.key) AS key, coalesce(v.results, a.results) AS results,
        coalesce(v.conditions, a.conditions) AS conditions, coalesce(v.extras, a.extras) AS extras
    FROM attempts a LEFT JOIN verdicts v ON v.id = (SELECT max(id) FROM verdicts WHERE attempt = a.id)
)
"""
"""Every attempt with its newest verdict."""


NO_VERDICTS: Mapping[int, SubmissionResult] = MappingProxyType({})


class StoredAttempt(NamedTuple):
    """An attempt with its newest verdict, as the columns are."""

    id: int
    student: str
    submitted: str | None
    finished: str
    key: str
    results: str
    submission: str | None
    conditions: str | None
    extras: str | None

    def read(self) -> SubmissionResult:
        return SubmissionResult.from_text(self.results)

    def attempt(self, results: SubmissionResult | None = None) -> Attempt:
        """The attempt with its results, or with these ones."""
        submitted = None if self.submitted is None else time_from_text(self.submitted)
        return Attempt(self.id, self.student, submitted, time_from_text(self.finished), results or self.read())


class Verdict(NamedTuple):
    """A verdict on an attempt, as the gradebook stores it; `conditions` and `extras` are any typed values."""

    key: str
    results: SubmissionResult
    conditions: Any = None
    extras: Any = None


class Gradebook:
    """Every attempt of every student. Every method raises OutputError when the file cannot be read or written.

    Attributes:
        decisions: what people decided about students.
        blobs: submitted files, and what only reports show.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._terms = path, dict[str, Term]()
        self._connection = Connection(path)
        try:
            prepare(self._connection)
        except BaseException:
            self._connection.close()
            raise
        self.decisions, self.blobs = DecisionTable(self._connection), Blobs(self._connection)

    # Attempts and verdicts --------------------------------------------------------------------------------------------

    def add(self, verdict: Verdict, submission: Submission | None = None, stale: bool = False) -> int:
        """Add one attempt; returns its id. With an empty key the submission will be graded again.

        If `stale`, the student's folder does not show it yet.
        """
        results = verdict.results
        about = results.submission_sha256, results.status, results.score, results.max_score
        submitted = None if submission is None else submission.submitted
        with self._connection.transaction():
            if stale:
                self.mark_stale([results.student])
            text, conditions, extras = self._stored(verdict)
            files = None if submission is None else self.blobs.store_value(submission)
            when = None if submitted is None else time_to_text(submitted)
            values = (results.student, verdict.key, *about, text, when, files, conditions, extras)
            return self._connection.execute(ADD, values)

    def add_verdicts(self, verdicts: Mapping[int, Verdict]) -> None:
        """Store {attempt's id: its new verdict}, all or none. The students' folders are stale from then on."""
        with self._connection.transaction(durable=True):
            for attempt, verdict in verdicts.items():
                self._connection.execute(ADD_VERDICT, (attempt, verdict.key, *self._stored(verdict)))
                self.mark_stale([verdict.results.student])

    def _stored(self, verdict: Verdict) -> tuple[str, str | None, str | None]:
        """(results as JSON, key of the conditions' blob, key of the extras' blob)"""
        conditions, extras = (
            None if value is None else self.blobs.store_value(value) for value in (verdict.conditions, verdict.extras)
        )
        return json.dumps(verdict.results.to_json()), conditions, extras

    def attempts(self) -> Iterator[tuple[str, str, int]]:
        """(student, key of the newest verdict, id) of every attempt, oldest first."""
        yield from self._connection.rows(f"{NEWEST} SELECT student, key, id FROM newest ORDER BY id")

    def results(self, attempt: int) -> SubmissionResult:
        """The newest results of one attempt, by its id."""
        ((text,),) = self._connection.rows(f"{NEWEST} SELECT results FROM newest WHERE id = ?", attempt)
        return SubmissionResult.from_text(text)

    def attempts_of(self, student: str, after: int = 0) -> list[SubmissionResult]:
        """The results of a student's attempts, newest first; only those with an id above `after`."""
        query = f"{NEWEST} SELECT results FROM newest WHERE student = ? AND id > ? ORDER BY id DESC"
        return [SubmissionResult.from_text(text) for (text,) in self._connection.rows(query, student, after)]

    def stored_attempts(self, student: str | None = None) -> Iterator[StoredAttempt]:
        """Every attempt, or those of one student, oldest first."""
        query = f"{NEWEST} SELECT {', '.join(StoredAttempt._fields)} FROM newest"
        chosen = () if student is None else (student,)
        query += " WHERE student = ? ORDER BY id" if chosen else " ORDER BY id"
        yield from map(StoredAttempt._make, self._connection.rows(query, *chosen))

    def verdicts_on(self, student: str) -> Iterator[tuple[int, str, SubmissionResult]]:
        """(attempt's id, when, results) of every verdict on a student's attempts, the first and those of regrades."""
        query = (
            "SELECT id AS attempt, finished, results, 0 AS place FROM attempts WHERE student = ?1 "
            "UNION ALL SELECT v.attempt, v.finished, v.results, v.id FROM verdicts v JOIN attempts a "
            "ON a.id = v.attempt WHERE a.student = ?1 ORDER BY attempt, place"
        )
        for attempt, finished, text, _ in self._connection.rows(query, student):
            yield attempt, finished, SubmissionResult.from_text(text)

    # What is current --------------------------------------------------------------------------------------------------

    def current(self, verdicts: Mapping[int, SubmissionResult] = NO_VERDICTS) -> Iterator[SubmissionResult]:
        """The current results of every student: what the class page, grades.csv, reports and all exports show.

        `verdicts` are {attempt's id: results that are taken in place of the stored ones}.
        """
        names, assignment, decided = self.new_names(), self.assignment(), self.decisions_by_student()
        term = self._term(assignment)
        rows = self._connection.rows(
            f"{NEWEST} SELECT {', '.join(StoredAttempt._fields)} FROM newest ORDER BY student DESC, id DESC"
        )
        for student, group in groupby(rows, key=lambda row: str(row[1])):
            attempts = [StoredAttempt._make(row) for row in group]
            decisions = decided.pop(student, [])
            if student not in names:
                yield standing_of(student, assignment, attempts, decisions, verdicts, term)
        for student, decisions in decided.items():
            if any(each.kind != "extension" for each in in_force(decisions)):
                yield assigned(student, assignment, [], decisions)

    def current_of(self, student: str, verdicts: Mapping[int, SubmissionResult] = NO_VERDICTS) -> SubmissionResult:
        """The current results of one student."""
        attempts = list(self.stored_attempts(student))[::-1]
        assignment, decisions = self.assignment(), self.decisions_about(student)
        return standing_of(student, assignment, attempts, decisions, verdicts, self._term(assignment))

    def _term(self, assignment: Assignment | None) -> Term | None:
        """The other gradebooks that share free late days. Raises UserError where they differ about them."""
        if assignment is None or not assignment.late.term:
            return None
        if assignment.text not in self._terms:
            self._terms[assignment.text] = Term(self._path, assignment, Gradebook)
        return self._terms[assignment.text]

    def decisions_by_student(self) -> dict[str, list[Decision]]:
        """{student: all decisions about them, in order}, with those about an earlier name of theirs."""
        names, found = self.new_names(), dict[str, list[Decision]]()
        for each in self.decisions.all():
            found.setdefault(names.get(each.student, each.student), []).append(each)
        return found

    def decisions_about(self, student: str) -> list[Decision]:
        return self.decisions_by_student().get(student, [])

    def assignment(self) -> Assignment | None:
        """The assignment that the gradebook is for, as it was last read; None where it has none."""
        text = self.about().get(ASSIGNMENT)
        if text is None:
            return None
        found: Assignment = from_plain(Assignment, json.loads(text), bytes.fromhex)
        return found

    def set_assignment(self, assignment: Assignment) -> None:
        """Store the assignment. Every student's folder is stale if it has changed."""
        text = json.dumps(to_plain(assignment, bytes.hex))
        if self.about().get(ASSIGNMENT) != text:
            with self._connection.transaction(durable=True):
                self.describe({ASSIGNMENT: text})
                self.mark_stale({student for student, _, _ in self.attempts()})

    # Names ------------------------------------------------------------------------------------------------------------

    def students(self) -> list[str]:
        """Everybody in the gradebook, by their present names."""
        names = self.new_names()
        query = "SELECT student FROM attempts UNION SELECT student FROM decisions ORDER BY student"
        return [student for (student,) in self._connection.rows(query) if student not in names]

    def new_names(self) -> dict[str, str]:
        """{a name that is hidden: the student's present name}"""
        about, latest = self.about(), dict(self._connection.rows("SELECT student, max(id) FROM attempts GROUP BY 1"))
        hidden = [name.removeprefix(RENAMED) for name in about if name.startswith(RENAMED)]
        return {
            name: about.get(NEW_NAME + name, name) for name in hidden if about[RENAMED + name] == str(latest.get(name))
        }

    def rename(self, student: str, names: Iterable[str]) -> list[str]:
        """Hide the results under earlier `names` of `student`; gives the names that are hidden from now on.

        A name is hidden only if the very submission that `student` has now was graded under it, and if it has no lesson
        that `student` has not. A later attempt under that name shows it again. Decisions about it are about `student`.
        """
        newest = self._connection.rows(
            "SELECT submission_sha256 FROM attempts WHERE student = ? ORDER BY id DESC LIMIT 1", student
        )
        (sha256,) = next(newest, (None,))
        hidden = []
        for name in names:
            query = "SELECT max(id), max(submission_sha256 = ?) FROM attempts WHERE student = ?"
            ((latest, same),) = self._connection.rows(query, sha256, name)
            if same:
                here, there = (
                    {lesson.name for lesson in current_results(self.attempts_of(who)).lessons}
                    for who in (student, name)
                )
                if there <= here:
                    self.describe({RENAMED + name: str(latest), NEW_NAME + name: student})
                    hidden.append(name)
        return hidden

    # What else is stored ----------------------------------------------------------------------------------------------

    def about(self) -> dict[str, str]:
        """The entries that `describe` wrote: the course and the seeds of the attempts."""
        if not list(self._connection.rows("SELECT 1 FROM sqlite_master WHERE name = 'about'")):
            return {}
        return dict(self._connection.rows("SELECT name, value FROM about"))

    def describe(self, about: Mapping[str, str]) -> None:
        """Store which course and which seeds the attempts have. An entry that is not named stays as it is."""
        if about.items() <= self.about().items():
            return
        self._connection.execute(ABOUT)
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

    def close(self) -> None:
        for term in self._terms.values():
            term.close()
        self._connection.close()


def standing_of(
    student: str,
    assignment: Assignment | None,
    newest_first: Sequence[StoredAttempt],
    decisions: Sequence[Decision],
    verdicts: Mapping[int, SubmissionResult] = NO_VERDICTS,
    term: Term | None = None,
) -> SubmissionResult:
    """A student's current results, from attempts and decisions; `term` says how many free late days are left."""
    read = (verdicts.get(each.id) or each.read() for each in newest_first)
    if assignment is None and not decisions:
        return current_results(read)
    attempts = [each.attempt(results) for each, results in zip(newest_first, read, strict=True)]
    chosen = attempts if assignment is None else without_repeated(attempts)
    free_days = None if term is None else term.free_days(student, chosen, decisions)
    return replace(assigned(student, assignment, chosen[::-1], decisions, free_days), earlier=None)
