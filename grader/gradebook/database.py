"""OUT/gradebook.sqlite: what counts now, of all that is kept for ever and stored as it arrives."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.in_force import in_force
from grader.gradebook.assignment.points import TermWork, assigned, days_left, share_free_days
from grader.gradebook.current import current_results
from grader.gradebook.guarded import fault_text
from grader.gradebook.people import names_here
from grader.gradebook.records import Attempt, Decision
from grader.gradebook.store import Store
from grader.results import SubmissionResult
from grader.typed_json import from_json, to_json

GRADEBOOK = "gradebook.sqlite"
ASSIGNMENT_SETTING = "assignment"
NO_VERDICTS: Mapping[int, SubmissionResult] = MappingProxyType({})
WorkInTerm = Mapping[str, Sequence[TermWork]]
"""{student: the work for each other assignment of the term}"""


class Gradebook(Store):
    """A file OUT/gradebook.sqlite. Every method raises OutputError when it cannot be read or written.

    Attributes:
        unread: {student: why} whose results could not be read, which is a fault of the grader.
    """

    def __init__(self, path: Path, read_only: bool = False) -> None:
        """With `read_only`, the file may be a backup that cannot be written."""
        super().__init__(path, read_only)
        self._folder = path.parent.absolute()
        self._term_read: WorkInTerm | None = None
        self.unread: dict[str, str] = {}

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
        decided = dict[str, list[Decision]]()
        for each in self.decisions():
            decided.setdefault(each.student, []).append(each)
        assignment = assignment or self.assignment()
        term = self._term(assignment, is_trial=is_trial)
        for student, attempts in self.by_student():
            yield self._standing(student, assignment, attempts, decided.pop(student, []), verdicts, term)
        for student, decisions in decided.items():
            if any(each.kind != "extension" for each in in_force(decisions)):
                yield assigned(student, assignment, [], decisions)

    def current_of(self, student: str) -> SubmissionResult:
        """The current results of one student. The term's other gradebooks are read at the first call only."""
        assignment, attempts = self.assignment(), list(self.attempts(student))
        term = self._term(assignment) if self._term_read is None else self._term_read
        return self._standing(student, assignment, attempts, self.decisions(student), NO_VERDICTS, term)

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

    def assignment(self) -> Assignment | None:
        """The assignment that counts: the one that was applied last; None where there is none."""
        text = self.about().get(ASSIGNMENT_SETTING)
        found: Assignment | None = None if text is None else from_json(Assignment, json.loads(text))
        return found

    def set_assignment(self, assignment: Assignment) -> None:
        """Store the assignment. Every student's folder is stale if it has changed."""
        self._term_read = None
        text = json.dumps(to_json(assignment))
        if self.about().get(ASSIGNMENT_SETTING) != text:
            with self._connection.transaction(durable=True):
                self.describe({ASSIGNMENT_SETTING: text})
                self._connection.execute("INSERT OR IGNORE INTO stale SELECT DISTINCT student FROM attempts")

    def others_of_term(self, assignment: Assignment | None = None) -> list[Path]:
        """The folders of the other gradebooks that share free late days with this one, and have begun."""
        assignment = assignment or self.assignment()
        names = assignment.late.term if assignment is not None and assignment.late.free_days else ()
        folders = (self._folder.parent / name for name in names)
        return [each for each in folders if (each / GRADEBOOK).is_file() and not each.samefile(self._folder)]

    def _term(self, assignment: Assignment | None, is_trial: bool = False) -> WorkInTerm:
        """The term's other assignments, which share the free late days: {student: their work for each}.

        Raises UserError where the assignments do not agree about the days, except in a trial.
        """
        term = dict[str, list[TermWork]]()
        for folder in self.others_of_term(assignment):
            with closing(Gradebook(folder / GRADEBOOK, read_only=True)) as other:
                theirs = other.assignment()
                if assignment is None or theirs is None:  # it has not begun
                    continue
                if not is_trial and not share_free_days(self._folder.name, assignment, folder.name, theirs):
                    raise UserError(
                        f"the assignments of {self._folder.name} and {folder.name} do not share the same free late "
                        "days: `term` and `free_days` must be the same in every assignment file of a term. Correct "
                        "them, and run `grade regrade --apply` for both."
                    )
                names = names_here(other.people(), self.people())
                for who, attempts in other.by_student():
                    term.setdefault(names.get(who, who), []).append((theirs, attempts, other.decisions(who)))
        self._term_read = term
        return term


def standing_of(
    student: str,
    assignment: Assignment | None,
    attempts: Sequence[Attempt],
    decisions: Sequence[Decision],
    verdicts: Mapping[int, SubmissionResult],
    term: WorkInTerm,
) -> SubmissionResult:
    """A student's current results, from attempts (the newest first) and decisions; `term` is as of Gradebook._term."""
    if verdicts:
        attempts = [replace(each, verdict=verdicts.get(each.id, each.verdict)) for each in attempts]
    if assignment is None and not decisions and attempts:
        return replace(current_results(each.results for each in attempts), student=student)
    days = None
    if assignment is not None and student in term:
        others = [(each, [*map(replace, own)], made) for each, own, made in term[student]]  # what is read is not kept
        days = days_left(student, assignment, others)
    return replace(assigned(student, assignment, attempts, decisions, days), student=student)
