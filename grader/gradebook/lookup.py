"""What somebody means by the name of a student, of a row, a lesson or the total on a command line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from grader.errors import UserError
from grader.gradebook.assignment.rows import names_of_lesson
from grader.intake.submissions.people import PeopleIndex, fold_case, may_be_one_person, name_words
from grader.intake.submissions.roster import Member
from grader.results import LessonResult, Row, SubmissionResult

TOTAL_ROW = "total"
MAX_MEANT = 3


class UnknownStudent(UserError):
    """Nobody in the gradebook has this name."""


class SharedName(UserError):
    """Several students in the roster have this name, id or address."""


def members_index(members: Iterable[Member]) -> PeopleIndex:
    """The members of a roster, by id, e-mail address, login and name."""
    people = PeopleIndex()
    for each in members:
        people.add(each.student, [each.name, *each.marks.values()])
    return people


def find_student(
    wanted: str, students: Sequence[str], new_names: Mapping[str, str], members: PeopleIndex | None = None
) -> str:
    """The student: by the name in the gradebook, in any case and order of its words, by an earlier name, or as one of
    the `members`.

    Raises SharedName and UnknownStudent, with the names that may be meant.
    """
    if wanted in students:
        return wanted
    marked = members.with_mark(wanted) if members is not None else set()
    if len(marked) > 1:  # also where an earlier run, which had no roster, called only one of them so
        raise SharedName(f"{wanted!r} may be {' or '.join(map(repr, sorted(marked)))}: say which.")
    if wanted in new_names:
        return new_names[wanted]
    if marked:
        return marked.pop()
    folded = [name for name in students if fold_case(name) == fold_case(wanted)]
    words = [name for name in students if sorted(name_words(name)) == sorted(name_words(wanted))]
    for found in (folded, words):
        if len(found) == 1:
            return found[0]
    close = [name for name in students if may_be_one_person(wanted, name)][:MAX_MEANT]
    meant = close or difflib.get_close_matches(wanted, students, MAX_MEANT)
    raise UnknownStudent(f"no student is called {wanted!r}" + did_you_mean(meant, "see grades.csv for the names"))


def did_you_mean(meant: Sequence[str], otherwise: str) -> str:
    """The end of a sentence about an unknown name: a question with the names that may be meant, or a hint."""
    return f": did you mean {' or '.join(map(repr, meant))}?" if meant else f"; {otherwise}."


def find_row(wanted: str, results: SubmissionResult) -> str | None:
    """The row, lesson or total (None) that is meant, as in Decision.row; `dprobs` alone if only one lesson has it.

    Raises UserError, with the names that may be meant.
    """
    if fold_case(wanted) == TOTAL_ROW:
        return None
    found = [name for name in row_names(results.lessons) if wanted in spellings(name)]
    if len(found) == 1:
        return found[0]
    names = list(row_names(results.lessons))
    if found:
        raise UserError(f"{wanted!r} may be {' or '.join(found)}: give the lesson as well.")
    meant = difflib.get_close_matches(wanted, [each for name in names for each in spellings(name)], MAX_MEANT)
    lessons = ", ".join(lesson.name for lesson in results.lessons) or "no lesson"
    raise UserError(
        f"{results.student} has no row {wanted!r}"
        + did_you_mean(meant, f"expected LESSON.ROW, a lesson of {lessons}, or {TOTAL_ROW}")
    )


def row_names(lessons: Iterable[LessonResult]) -> Iterable[str]:
    """Every lesson and every row, as in Decision.row."""
    for lesson in lessons:
        yield lesson.name
        yield from (f"{lesson.name}.{row.name}" for row in lesson.rows)


def spellings(name: str) -> set[str]:
    """How people write a lesson or a row: `03.dprobs` for `03_makemore_steps.dprobs`; a row's own name."""
    lesson, dot, row = name.partition(".")
    return {f"{each}{dot}{row}" for each in names_of_lesson(lesson)} | ({row} if dot else set())


def points_of_part(results: SubmissionResult, name: str | None) -> tuple[float, float]:
    """(points, most points) of a row, a lesson or, for None, everything."""
    found: Row | LessonResult | SubmissionResult | None = results
    if name is not None:
        lesson_name, dot, row_name = name.partition(".")
        found = next((lesson for lesson in results.lessons if lesson.name == lesson_name), None)
        if dot and found is not None:
            found = next((row for row in found.rows if row.name == row_name), None)
    if found is None:
        return 0, 0
    return (found.points, found.max_points) if isinstance(found, Row) else (found.score, found.max_score)
