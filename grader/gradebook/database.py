"""OUT/gradebook.sqlite: attempts, verdicts and decisions, kept for ever and stored as they arrive."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.free_days import TermWork, share_free_days, spend_free_days
from grader.gradebook.assignment.in_force import in_force
from grader.gradebook.assignment.points import assigned
from grader.gradebook.attempt_table import AttemptTable, StoredAttempt
from grader.gradebook.connection import Connection, prepare_tables
from grader.gradebook.current import current_results
from grader.gradebook.decision_table import DecisionTable
from grader.gradebook.guarded import fault_text
from grader.gradebook.plain_values import from_plain, to_plain
from grader.gradebook.records import Decision
from grader.results import SubmissionResult

GRADEBOOK = "gradebook.sqlite"
RENAMED = "renamed "
"""Begins the name of an entry about a student whom a roster has renamed; its value is the last attempt hidden."""
NEW_NAME = "new name of "
"""Begins the name of an entry whose value is the name that a roster has given to a student."""
ASSIGNMENT_SETTING = "assignment"
NO_VERDICTS: Mapping[int, SubmissionResult] = MappingProxyType({})
WorkInTerm = Mapping[str, list[TermWork]]


class Gradebook(AttemptTable):
    """A file OUT/gradebook.sqlite. Every method raises OutputError when it cannot be read or written.

    Attributes:
        decisions: what people decided about students.
        unread: {student: why} whose results could not be read, which is a fault of the grader.
    """

    def __init__(self, path: Path) -> None:
        connection = Connection(path)
        try:
            prepare_tables(connection)
        except BaseException:
            connection.close()
            raise
        super().__init__(connection)
        self.decisions = DecisionTable(connection)
        self.unread: dict[str, str] = {}

    # What is current --------------------------------------------------------------------------------------------------

    def current(
        self,
        verdicts: Mapping[int, SubmissionResult] = NO_VERDICTS,
        assignment: Assignment | None = None,
        is_trial: bool = False,
    ) -> Iterator[SubmissionResult]:
        """The current results of every student: what the class page, grades.csv, reports and all exports show.

        `verdicts` are {attempt's id: results}, and `assignment` is one, that are taken in place of the stored ones. In
        a trial, the assignments of a term need not agree: each is edited in its turn.
        """
        names, decided = self.new_names(), self.decisions_by_student()
        assignment = assignment or self.assignment()
        term = self._term(assignment, is_trial=is_trial)
        for student, attempts in self.by_student():
            decisions = decided.pop(student, [])
            if student not in names:
                former = self._former_attempts(student, names) if assignment is not None else []
                yield self._standing(student, assignment, [*attempts, *former], decisions, verdicts, term)
        for student, decisions in decided.items():
            if any(each.kind != "extension" for each in in_force(decisions)):
                yield assigned(student, assignment, [], decisions)

    def current_of(self, student: str) -> SubmissionResult:
        """The current results of one student."""
        attempts, assignment = list(self.stored_attempts(student))[::-1], self.assignment()
        decisions, term = self.decisions_about(student), self._term(assignment, student)
        attempts += self._former_attempts(student, self.new_names()) if assignment is not None else []
        return self._standing(student, assignment, attempts, decisions, NO_VERDICTS, term)

    def _standing(self, student: str, *rest: Any) -> SubmissionResult:
        """As standing_of. Where that fails, the student has no score, `unread` says why, and all others have theirs."""
        self.unread.pop(student, None)
        try:
            return standing_of(student, *rest)
        except UserError:
            raise
        except Exception as error:
            self.unread[student] = fault_text(error)
            message = f"The results cannot be read, for a reason that is not the student's: {fault_text(error)}"
            return SubmissionResult(student=student, status="error", message=message)

    def _former_attempts(self, student: str, names: Mapping[str, str]) -> list[StoredAttempt]:
        """A student's attempts under names that a roster has replaced, newest first; `names` are `new_names()`.

        They count where an assignment says which attempt does. Without one the newest attempts count, and `rename`
        makes sure that no lesson is missing from those.
        """
        former = (name for name, present in names.items() if present == student != name)
        return sorted((each for name in former for each in self.stored_attempts(name)), reverse=True)

    def _term(self, assignment: Assignment | None, student: str | None = None, is_trial: bool = False) -> WorkInTerm:
        """The term's other assignments, which share the free late days: {student: their work for each}.

        Raises UserError where the assignments do not agree about the days, except in a trial.
        """
        own = self._connection.path.parent.absolute().name
        term = dict[str, list[TermWork]]()
        for folder in self.others_of_term(assignment):
            with closing(Gradebook(folder / GRADEBOOK)) as other:
                if not is_trial:
                    check_term(own, assignment, folder.name, other.assignment())
                for who, work in other.works(student):
                    term.setdefault(who, []).append(work)
        return term

    def others_of_term(self, assignment: Assignment | None = None) -> list[Path]:
        """The folders of the other gradebooks that share free late days with this one, and have begun."""
        assignment = assignment or self.assignment()
        own = self._connection.path.parent.absolute()
        names = assignment.late.term if assignment is not None and assignment.late.free_days else ()
        folders = (own.parent / name for name in names)
        return [each for each in folders if (each / GRADEBOOK).is_file() and not each.samefile(own)]

    def works(self, student: str | None = None) -> Iterator[tuple[str, TermWork]]:
        """(student, their attempts at this gradebook's assignment), of everybody or of one student."""
        assignment, decided, names = self.assignment(), self.decisions_by_student(), self.new_names()
        if assignment is None:
            return
        one = None if student is None else [(student, list(self.stored_attempts(student))[::-1])]
        for who, stored in one or self.by_student():
            if who not in names:
                attempts = [each.attempt() for each in (*stored, *self._former_attempts(who, names))]
                yield who, TermWork(assignment, attempts, decided.get(who, []))

    def decisions_by_student(self) -> dict[str, list[Decision]]:
        """{student: all decisions about them, in order}, including those made under an earlier name."""
        names, found = self.new_names(), dict[str, list[Decision]]()
        for each in self.decisions.all():
            found.setdefault(names.get(each.student, each.student), []).append(each)
        return found

    def decisions_about(self, student: str) -> list[Decision]:
        return self.decisions_by_student().get(student, [])

    def assignment(self) -> Assignment | None:
        """The assignment that counts: the one that was applied last; None where there is none."""
        text = self.about().get(ASSIGNMENT_SETTING)
        if text is None:
            return None
        found: Assignment = from_plain(Assignment, json.loads(text), bytes.fromhex)
        return found

    def set_assignment(self, assignment: Assignment) -> None:
        """Store the assignment. Every student's folder is stale if it has changed."""
        text = json.dumps(to_plain(assignment, bytes.hex))
        if self.about().get(ASSIGNMENT_SETTING) != text:
            with self._connection.transaction(durable=True):
                self.describe({ASSIGNMENT_SETTING: text})
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

    def close(self) -> None:
        self._connection.close()


def check_term(name: str, assignment: Assignment | None, other_name: str, other: Assignment | None) -> None:
    """Raise UserError unless two gradebooks share the same free late days. One without an assignment has not begun."""
    if assignment is not None and other is not None and not share_free_days(name, assignment, other_name, other):
        raise UserError(
            f"the assignments of {name} and {other_name} do not share the same free late days: `term` and `free_days` "
            "must be the same in every assignment file of a term. Correct them, and run `grade regrade --assignment "
            "FILE --apply` for both."
        )


def standing_of(
    student: str,
    assignment: Assignment | None,
    newest_first: Sequence[StoredAttempt],
    decisions: Sequence[Decision],
    verdicts: Mapping[int, SubmissionResult],
    term: WorkInTerm,
) -> SubmissionResult:
    """A student's current results, from attempts and decisions; `term` is as of Gradebook._term."""
    read = (verdicts.get(each.id) or each.read() for each in newest_first)
    if assignment is None and not decisions and newest_first:
        return current_results(read)
    attempts = [each.attempt(results) for each, results in zip(newest_first, read, strict=True)]
    days = None
    if assignment is not None and student in term:
        works = [TermWork(assignment, attempts, decisions), *term[student]]
        days = spend_free_days(student, works, assignment.late.free_days)[0]
    return replace(assigned(student, assignment, attempts, decisions, days), earlier=None)
