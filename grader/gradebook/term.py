"""The gradebooks of a term, whose assignments share their free late days."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.free_days import TermWork, spend_free_days
from grader.gradebook.records import Attempt, Decision


class StoredRecord(Protocol):
    def attempt(self) -> Attempt: ...


class Records(Protocol):
    """What is read of another gradebook."""

    def assignment(self) -> Assignment | None: ...
    def stored_attempts(self, student: str | None = None) -> Iterable[StoredRecord]: ...
    def decisions_by_student(self) -> Mapping[str, Sequence[Decision]]: ...
    def close(self) -> None: ...


class OtherGradebook:
    """Another gradebook of the term. Raises UserError where it does not share the same free days."""

    def __init__(self, name: str, records: Records, own_name: str, own: Assignment) -> None:
        self.records = records
        found = records.assignment()
        if found is None:
            raise UserError(
                f"{name} shares its free late days with {own_name}, but it has no assignment: run `grade run "
                f"--assignment FILE -o {name}` again."
            )
        self._assignment = found
        if term_of(name, found) != term_of(own_name, own) or found.late.free_days != own.late.free_days:
            raise UserError(
                f"the assignments of {own_name} and {name} do not share the same free late days: `term` and "
                "`free_days` must be the same in every assignment file of a term. Correct them, and run `grade run "
                "--assignment FILE` again for both."
            )

    @cached_property
    def _decisions(self) -> Mapping[str, Sequence[Decision]]:
        return self.records.decisions_by_student()

    def work_of(self, student: str) -> TermWork:
        attempts = [stored.attempt() for stored in self.records.stored_attempts(student)]
        return TermWork(self._assignment, attempts, self._decisions.get(student, ()))


class Term:
    """The other gradebooks that an assignment shares its free late days with, as far as they are there.

    They are the folders that `term` names, next to this gradebook's folder. Raises UserError.
    """

    def __init__(self, gradebook: Path, assignment: Assignment, open_gradebook: Callable[[Path], Records]) -> None:
        own = gradebook.resolve().parent
        self._assignment, self._others = assignment, list[OtherGradebook]()
        for name in sorted(term_of(own.name, assignment) - {own.name}):
            path = own.parent / name / gradebook.name
            if path.is_file():
                self._others.append(OtherGradebook(name, open_gradebook(path), own.name, assignment))

    def free_days(self, student: str, attempts: Sequence[Attempt], decisions: Sequence[Decision]) -> int | None:
        """How many free late days a student may use for this assignment; None: all of them."""
        if not self._others:
            return None
        own = TermWork(self._assignment, attempts, decisions)
        works = [own, *(other.work_of(student) for other in self._others)]
        return spend_free_days(student, works, self._assignment.late.free_days)[0]

    def close(self) -> None:
        for other in self._others:
            other.records.close()


def term_of(name: str, assignment: Assignment) -> set[str]:
    """The names of all gradebooks of the term; `name` is this one's."""
    return {name, *assignment.late.term}
