"""The options --assignment and --extensions, and which assignment a gradebook is for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.console import printable
from grader.commands.opened_gradebook import read_gradebook
from grader.commands.options import FILE_PATH, author_name
from grader.errors import UserError
from grader.gradebook.database import GRADEBOOK
from grader.gradebook.lookup import SharedName, UnknownStudent, find_student, members_index
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.gradebook.assignment.config import Assignment
    from grader.gradebook.database import Gradebook
    from grader.gradebook.records import Decision
    from grader.intake.submissions.finding import FoundSubmissions
    from grader.intake.submissions.roster import Roster
    from grader.lesson.lesson import Course, Lesson

MAX_UNKNOWN_SHOWN = 20

assignment_option = click.option(
    "--assignment",
    "assignment_file",
    type=FILE_PATH,
    metavar="FILE",
    help="Rows, weights, due date (docs/assignments.md).",
)
extensions_option = click.option(
    "--extensions",
    "extensions_file",
    type=FILE_PATH,
    metavar="CSV",
    help="Students with another due date, or excused.",
)


def with_assignment(
    file: Path | None, out: Path, course: Course, chosen: Sequence[Lesson]
) -> tuple[Assignment | None, Course, list[Lesson]]:
    """(the assignment in `file`, or else the gradebook's in `out`, with the lessons as they are now; the course; the
    lessons to grade). `chosen` are the lessons that the command line names. Raises UserError.

    Where the gradebook has an assignment, that one counts until `grade regrade --apply`: the course has its settings,
    and its lessons are graded as well.
    """
    from grader.gradebook.assignment.config import parse_assignment, read_assignment
    from grader.lesson.lesson import Course

    lessons, counting = list(course.lessons.values()), None
    if (out / GRADEBOOK).is_file():
        with read_gradebook(out) as gradebook:
            counting = gradebook.assignment()
    if file is not None:
        assignment = read_assignment(file, lessons)
    elif counting is not None:
        assignment = parse_assignment(counting.text, Path(GRADEBOOK), lessons)
    else:
        return None, course, list(chosen)
    counting = counting or assignment
    contained = [each.name for each in lessons if each.name in {*assignment.rows, *counting.rows}]
    outside = [lesson.name for lesson in chosen if lesson.name not in contained]
    if outside:
        raise UserError(
            f"the assignment {assignment.title!r} does not contain {outside[0]}; it contains {', '.join(contained)}."
        )
    course = Course(course.root, changed=counting.settings)
    return assignment, course, [course.lessons[name] for name in [lesson.name for lesson in chosen] or contained]


def present_assignment(gradebook: Gradebook, course: Course, file: Path | None) -> tuple[Assignment | None, Course]:
    """(the gradebook's assignment as its file and the lessons are now; the course with its settings).

    The file is `file`, or the one that the last run was given; where that is not there, or was made another
    assignment's, it is the text in the gradebook. Raises UserError.
    """
    from grader.gradebook.assignment.config import parse_assignment, read_assignment
    from grader.gradebook.grading.settings import ASSIGNMENT_FILE_ENTRY
    from grader.lesson.lesson import Course

    counting, lessons = gradebook.assignment(), list(course.lessons.values())
    if counting is None:
        if file is not None:
            raise UserError("the gradebook has no assignment yet: `grade run --assignment FILE` gives it one.")
        return None, course
    path = file or Path(gradebook.about().get(ASSIGNMENT_FILE_ENTRY, ""))
    found = read_assignment(path, lessons) if path.is_file() else None
    if found is not None and found.title != counting.title:
        sentence = f"{path} is {found.title!r}, and this is the gradebook of {counting.title!r}"
        if file is not None:
            raise UserError(f"{sentence}: give its own file.")
        click.echo(f"grade: {sentence}, which is used as the gradebook has it.", err=True)
        found = None
    found = found or parse_assignment(counting.text, Path(GRADEBOOK), lessons)
    return found, Course(course.root, changed=found.settings)


def extensions_from(
    file: Path, assignment: Assignment | None, out: Path, found: FoundSubmissions, roster: Roster | None
) -> list[Decision]:
    """The decisions in a file of extensions, about students of this run, of the gradebook and of the roster.

    A line about anybody else has no effect, and standard error says so. Raises UserError.
    """
    from grader.gradebook.assignment.decision_file import decisions_of, entries_from

    if assignment is None:
        raise UserError("--extensions needs an assignment, whose due date they extend: add --assignment FILE.")
    entries = entries_from(file, ("student",))
    names, renamed = {arrival.student for arrival in found.arrivals}, dict[str, str]()
    if (out / GRADEBOOK).is_file():
        with read_gradebook(out) as gradebook:
            names, renamed = names | set(gradebook.students()), gradebook.new_names()
    members = roster.members if roster is not None else ()
    students = sorted(names | {each.student for each in members})

    def find(wanted: str) -> str | None:
        try:
            return find_student(wanted, students, renamed, members_index(members))
        except UnknownStudent:
            return None
        except SharedName as error:
            raise UserError(f"{file}: {error}") from error

    decisions, unknown = decisions_of(entries, find, assignment, author_name(), datetime.now(UTC))
    for entry in unknown[:MAX_UNKNOWN_SHOWN]:
        click.echo(
            f"grade: {entry.place}nobody here is called {printable(entry.student)!r}, so the line has no effect. Use "
            "the name in grades.csv, or give --roster for ids and e-mail addresses.",
            err=True,
        )
    if len(unknown) > MAX_UNKNOWN_SHOWN:
        rest = count_text(len(unknown) - MAX_UNKNOWN_SHOWN, "more line has", "more lines have")
        click.echo(f"grade: {file}: {rest} no effect.", err=True)
    return decisions
