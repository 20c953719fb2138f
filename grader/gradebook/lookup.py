"""What somebody means by the name of a student, of a row, a lesson or the total on a command line or in a file."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence

from grader.errors import UserError
from grader.gradebook.assignment.rows import names_of_lesson
from grader.intake.submissions.people import PeopleIndex, fold_case, may_be_one_person
from grader.intake.submissions.roster import Roster
from grader.results import LessonResult, Row, SubmissionResult

TOTAL_ROW = "total"
MAX_MEANT = 3


class UnknownStudent(UserError):
    """Nobody in the class has this name."""


class ClassNames(PeopleIndex):
    """The students of a class by name, by what a gradebook knows of them, with earlier names, and by their roster."""

    def __init__(
        self, students: Iterable[str], known: Mapping[str, Collection[str]], roster: Roster | None = None
    ) -> None:
        super().__init__()
        members = roster.members if roster is not None else ()
        self._students = sorted({*students, *(each.student for each in members)})
        for student in self._students:
            self.add(student, [student], [student])
        for student, marks in known.items():
            self.add(student, [mark.partition(" ")[2] for mark in marks])
        for each in members:
            self.add(each.student, [each.name, *each.marks.values()])

    def find(self, wanted: str) -> str:
        """The student with this name, in any case and order of its words, or with another mark.

        Raises UnknownStudent, or UserError where it is several students', with the names that may be meant.
        """
        if wanted in self._students:
            return wanted
        found = self.with_mark(wanted) or self.with_name(wanted)
        if len(found) > 1:
            raise UserError(f"{wanted!r} may be {' or '.join(map(repr, sorted(found)))}: say which.")
        if found:
            return found.pop()
        close = [name for name in self._students if may_be_one_person(wanted, name)][:MAX_MEANT]
        meant = close or difflib.get_close_matches(wanted, self._students, MAX_MEANT)
        advice = "If this student has not submitted anything yet, `grade run` must have a roster with them."
        raise UnknownStudent(f"no student is called {wanted!r}{did_you_mean(meant, 'see grades.csv')} {advice}")


def did_you_mean(meant: Sequence[str], otherwise: str) -> str:
    """The end of a sentence about an unknown name: a question with the names that may be meant, or a hint."""
    return f": did you mean {' or '.join(map(repr, meant))}?" if meant else f"; {otherwise}."


def find_row(wanted: str, lessons: Mapping[str, Collection[str]], owner: str) -> str | None:
    """The row, lesson or total (None) that is meant, as in Decision.row; `dprobs` alone if only one lesson has it.

    `lessons` are {lesson: its rows}, and `owner` is whose they are. Raises UserError, with the names that may be meant.
    """
    if fold_case(wanted) == TOTAL_ROW:
        return None
    names = [name for lesson, rows in lessons.items() for name in (lesson, *(f"{lesson}.{row}" for row in rows))]
    found = [name for name in names if wanted in spellings(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f"{wanted!r} may be {' or '.join(found)}: give the lesson as well.")
    meant = difflib.get_close_matches(wanted, [each for name in names for each in spellings(name)], MAX_MEANT)
    expected = f"expected LESSON.ROW, a lesson of {', '.join(lessons) or 'no lesson'}, or {TOTAL_ROW}"
    raise UserError(f"{owner} has no row or lesson {wanted!r}" + did_you_mean(meant, expected))


def rows_by_lesson(results: SubmissionResult) -> dict[str, list[str]]:
    """{lesson: its rows}"""
    return {lesson.name: [row.name for row in lesson.rows] for lesson in results.lessons}


def spellings(name: str) -> set[str]:
    """How people write a lesson or a row: `03.dprobs` for `03_makemore_steps.dprobs`; a row's own name."""
    lesson, dot, row = name.partition(".")
    return {f"{each}{dot}{row}" for each in names_of_lesson(lesson)} | ({row} if dot else set())


def points_of_part(results: SubmissionResult, name: str | None) -> tuple[float, float]:
    """(points, most points) of a row, a lesson or, for None, everything."""
    if name is None:
        return results.score, results.max_score
    parts: dict[str, LessonResult | Row] = {lesson.name: lesson for lesson in results.lessons}
    parts |= {f"{lesson.name}.{row.name}": row for lesson in results.lessons for row in lesson.rows}
    found = parts.get(name)
    if found is None:
        return 0, 0
    return (found.points, found.max_points) if isinstance(found, Row) else (found.score, found.max_score)
