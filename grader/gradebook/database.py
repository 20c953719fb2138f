"""OUT/gradebook.sqlite: attempts, verdicts and decisions, kept for ever and stored as they arrive."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.free_days import TermWork, days_left, share_free_days
from grader.gradebook.assignment.in_force import in_force
from grader.gradebook.assignment.points import assigned
from grader.gradebook.attempt_table import AttemptTable, StoredAttempt
from grader.gradebook.connection import Connection, prepare_tables
from grader.gradebook.current import current_results, graded_lessons
from grader.gradebook.decision_table import DecisionTable
from grader.gradebook.guarded import fault_text
from grader.gradebook.identity import PEOPLE_ENTRY, names_here
from grader.gradebook.records import Decision
from grader.results import SubmissionResult
from grader.results.typed_json import from_json, to_json

GRADEBOOK = "gradebook.sqlite"
RENAMED = "renamed "
"""Begins the name of an entry about a student whom a roster has renamed; its value is the last attempt hidden."""
SHOWN = "shown"
"""The value of such an entry about somebody who has got an earlier name back."""
NEW_NAME = "new name of "
"""Begins the name of an entry whose value is the name that a roster has given to a student."""
ASSIGNMENT_SETTING = "assignment"
NO_VERDICTS: Mapping[int, SubmissionResult] = MappingProxyType({})


class StoredWork(NamedTuple):
    """One student's work for another assignment of the term. Its attempts are parsed when they are needed."""

    assignment: Assignment
    attempts: Sequence[StoredAttempt]
    decisions: Sequence[Decision]

    def read(self) -> TermWork:
        return TermWork(self.assignment, [each.attempt() for each in self.attempts], self.decisions)


WorkInTerm = Mapping[str, list[StoredWork]]


class Gradebook(AttemptTable):
    """A file OUT/gradebook.sqlite. Every method raises OutputError when it cannot be read or written.

    Attributes:
        decisions: what people decided about students.
        unread: {student: why} whose results could not be read, which is a fault of the grader.
    """

    def __init__(self, path: Path, read_only: bool = False) -> None:
        """With `read_only`, the file may be a backup that cannot be written."""
        connection = Connection(path, read_only=read_only)
        try:
            version = prepare_tables(connection)
        except BaseException:
            connection.close()
            raise
        super().__init__(connection, has_applied=version >= 6)
        self.decisions = DecisionTable(connection)
        self._term_read: WorkInTerm | None = None
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
        decided = self.decisions_by_student()
        assignment = assignment or self.assignment()
        term = self._term(assignment, is_trial=is_trial)
        for student, attempts in self.by_person():
            yield self._standing(student, assignment, attempts, decided.pop(student, []), verdicts, term)
        for student, decisions in decided.items():
            if any(each.kind != "extension" for each in in_force(decisions)):
                yield assigned(student, assignment, [], decisions)

    def current_of(self, student: str) -> SubmissionResult:
        """The current results of one student. The term's other gradebooks are read at the first call only."""
        assignment = self.assignment()
        term = self._term(assignment) if self._term_read is None else self._term_read
        decisions, attempts = self.decisions_about(student), self.attempts_of_person(student)
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

    def by_person(self) -> Iterator[tuple[str, list[StoredAttempt]]]:
        """(student by the present name, their attempts under every name, newest first), in order of name backwards."""
        names = self.new_names()
        renamed = set(names.values())
        for student, attempts in self.by_student():
            if student in names:
                continue
            yield student, self._with_former(student, attempts, names) if student in renamed else attempts
            renamed.discard(student)
        for student in sorted(renamed, reverse=True):
            yield student, self._with_former(student, [], names)

    def attempts_of_person(self, student: str) -> list[StoredAttempt]:
        """A student's attempts, also those under names that a roster has replaced, newest first."""
        return self._with_former(student, list(self.stored_attempts(student))[::-1], self.new_names())

    def _with_former(self, student: str, own: Sequence[StoredAttempt], names: Mapping[str, str]) -> list[StoredAttempt]:
        """`own` attempts and those under former names, newest first; `names` are `new_names()`.

        A submission that was graded again under the present name is one attempt, not two.
        """
        former = [each for name, present in names.items() if present == student for each in self.stored_attempts(name)]
        if not former:
            return list(own)
        graded = [each.read() for each in own]
        lessons = {(each.submission_sha256, name) for each in graded for name in graded_lessons(each)}
        kept = list(own)
        for each in former:
            results = each.read()
            if not {(results.submission_sha256, name) for name in graded_lessons(results)} <= lessons:
                kept.append(each)
        return sorted(kept, key=lambda each: each.id, reverse=True)

    def _term(self, assignment: Assignment | None, is_trial: bool = False) -> WorkInTerm:
        """The term's other assignments, which share the free late days: {student: their work for each}.

        Raises UserError where the assignments do not agree about the days, except in a trial.
        """
        own = self._connection.path.parent.absolute().name
        term = dict[str, list[StoredWork]]()
        for folder in self.others_of_term(assignment):
            with closing(Gradebook(folder / GRADEBOOK, read_only=True)) as other:
                if not is_trial:
                    check_term(own, assignment, folder.name, other.assignment())
                here = names_here(other.people(), self.people())
                for who, work in other.works():
                    term.setdefault(here.get(who, who), []).append(work)
        self._term_read = term
        return term

    def others_of_term(self, assignment: Assignment | None = None) -> list[Path]:
        """The folders of the other gradebooks that share free late days with this one, and have begun."""
        assignment = assignment or self.assignment()
        own = self._connection.path.parent.absolute()
        names = assignment.late.term if assignment is not None and assignment.late.free_days else ()
        folders = (own.parent / name for name in names)
        return [each for each in folders if (each / GRADEBOOK).is_file() and not each.samefile(own)]

    def works(self) -> Iterator[tuple[str, StoredWork]]:
        """(student, what they have done for this gradebook's assignment)"""
        assignment, decided = self.assignment(), self.decisions_by_student()
        if assignment is None:
            return
        for who, stored in self.by_person():
            yield who, StoredWork(assignment, stored, decided.get(who, []))

    def all_decisions(self) -> list[Decision]:
        """In the order in which they were made, each about the student by the present name."""
        names = self.new_names()
        return [replace(each, student=names.get(each.student, each.student)) for each in self.decisions.all()]

    def decisions_by_student(self) -> dict[str, list[Decision]]:
        """{student: all decisions about them, in order}, including those made under an earlier name."""
        found = dict[str, list[Decision]]()
        for each in self.all_decisions():
            found.setdefault(each.student, []).append(each)
        return found

    def decisions_about(self, student: str) -> list[Decision]:
        return self.decisions_by_student().get(student, [])

    def assignment(self) -> Assignment | None:
        """The assignment that counts: the one that was applied last; None where there is none."""
        text = self.about().get(ASSIGNMENT_SETTING)
        if text is None:
            return None
        found: Assignment = from_json(Assignment, json.loads(text))
        return found

    def set_assignment(self, assignment: Assignment) -> None:
        """Store the assignment. Every student's folder is stale if it has changed."""
        self._term_read = None
        text = json.dumps(to_json(assignment))
        if self.about().get(ASSIGNMENT_SETTING) != text:
            with self._connection.transaction(durable=True):
                self.describe({ASSIGNMENT_SETTING: text})
                self.mark_stale({student for student, _, _ in self.attempts()})

    # Names ------------------------------------------------------------------------------------------------------------

    def people(self) -> dict[str, list[str]]:
        """{student: ids, addresses, logins and accounts, as "email ada@example.org"}"""
        found: dict[str, list[str]] = json.loads(self.kept(PEOPLE_ENTRY) or "{}")
        return found

    def students(self) -> list[str]:
        """Everybody in the gradebook, by their present names."""
        names = self.new_names()
        query = "SELECT student FROM attempts UNION SELECT student FROM decisions"
        found = {student for (student,) in self._connection.rows(query) if student not in names}
        return sorted(found | set(names.values()) - names.keys())

    def new_names(self) -> dict[str, str]:
        """{a name that is hidden: the student's present name}"""
        about = self.about()
        hidden = {name.removeprefix(RENAMED): number for name, number in about.items() if name.startswith(RENAMED)}
        if not hidden:
            return {}
        latest = dict(self._connection.rows("SELECT student, max(id) FROM attempts GROUP BY 1"))
        to = {
            name: about.get(NEW_NAME + name, name)
            for name, number in hidden.items()
            if number == str(latest.get(name, 0))
        }
        return {name: name_now(name, to) for name in to}

    def hide(self, name: str, student: str) -> None:
        """Count all that is under `name` as the student's, until a later attempt comes under that name."""
        query = "SELECT coalesce(max(id), 0) FROM attempts WHERE student = ?"
        ((latest,),) = self._connection.rows(query, name)
        self.describe({RENAMED + name: str(latest), NEW_NAME + name: student, RENAMED + student: SHOWN})
        self.mark_stale([student])

    def same_submission(self, student: str, names: Iterable[str]) -> list[str]:
        """Those of `names` under which the very submission was graded that `student` has now."""
        newest = self._connection.rows(
            "SELECT submission_sha256 FROM attempts WHERE student = ? ORDER BY id DESC LIMIT 1", student
        )
        (sha256,) = next(newest, (None,))
        query = "SELECT max(submission_sha256 = ?) FROM attempts WHERE student = ?"
        return [name for name in names if next(self._connection.rows(query, sha256, name))[0]]

    def stale(self) -> list[str]:
        names = self.new_names()
        return sorted({names.get(student, student) for student in super().stale()})

    def mark_written(self, student: str) -> None:
        for name in (student, *(former for former, present in self.new_names().items() if present == student)):
            super().mark_written(name)

    def close(self) -> None:
        self._connection.close()


def name_now(name: str, to: Mapping[str, str]) -> str:
    """The present name of a person who was renamed, perhaps several times; `to` are {name: the next one}."""
    while to.get(name, name) != name:
        name = to[name]
    return name


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
        return replace(current_results(read), student=student)
    attempts = [each.attempt(results) for each, results in zip(newest_first, read, strict=True)]
    days = None
    if assignment is not None and student in term:
        days = days_left(student, assignment, [work.read() for work in term[student]])
    return replace(assigned(student, assignment, attempts, decisions, days), student=student)
