"""Which assignment a gradebook is for, and the extensions that a file gives."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from grader.commands.console import print_remarks
from grader.commands.decisions import author_name
from grader.commands.opened_gradebook import read_gradebook
from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment, parse_assignment, read_assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.decision_file import entries_from, extensions_of
from grader.gradebook.grading.settings import ASSIGNMENT_FILE_ENTRY
from grader.gradebook.lookup import SharedName, UnknownStudent, find_student, people_index
from grader.gradebook.records import Decision
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.roster import Roster
from grader.lesson.lesson import Course, Lesson
from grader.results.wording import count_text

MAX_UNKNOWN_SHOWN = 20


def with_assignment(
    file: Path | None, out: Path, course: Course, chosen: Sequence[Lesson]
) -> tuple[Assignment | None, Course, list[Lesson]]:
    """(the assignment in `file`, or else the gradebook's in `out`, with the lessons as they are now; the course; the
    lessons to grade). `chosen` are the lessons that the command line names. Raises UserError.

    Where the gradebook has an assignment, that one counts until `grade regrade --apply`: the course has its settings,
    and its lessons are graded as well.
    """
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


def present_assignment(gradebook: Gradebook, course: Course) -> tuple[Assignment | None, Course]:
    """(the gradebook's assignment as its file and the lessons are now; the course with its settings).

    Where the file that a run was given last is not there, or was made another assignment's, it is the text in the
    gradebook. Raises UserError.
    """
    counting, lessons = gradebook.assignment(), list(course.lessons.values())
    if counting is None:
        return None, course
    path = Path(gradebook.about().get(ASSIGNMENT_FILE_ENTRY, ""))
    found = read_assignment(path, lessons) if path.is_file() else None
    if found is not None and found.title != counting.title:
        titles = f"{path} is {found.title!r}, and this is the gradebook of {counting.title!r}"
        print_remarks([f"{titles}, which is used as the gradebook has it."])
        found = None
    found = found or parse_assignment(counting.text, Path(GRADEBOOK), lessons)
    return found, Course(course.root, changed=found.settings)


def extensions_from(
    file: Path, assignment: Assignment | None, out: Path, found: FoundSubmissions, roster: Roster | None
) -> list[Decision]:
    """The decisions in a file of extensions, about students of this run, of the gradebook and of the roster.

    A line about anybody else has no effect, and standard error says so. Raises UserError.
    """
    if assignment is None:
        raise UserError("--extensions needs an assignment, whose due date they extend: add --assignment FILE.")
    entries = entries_from(file, ("student",))
    names, known = {arrival.student for arrival in found.arrivals}, dict[str, set[str]]()
    if (out / GRADEBOOK).is_file():
        with read_gradebook(out) as gradebook:
            names, known = names | set(gradebook.students()), gradebook.people()
    members = roster.members if roster is not None else ()
    students, people = sorted(names | {each.student for each in members}), people_index(known, members)

    def student_called(wanted: str) -> str | None:
        try:
            return find_student(wanted, students, people)
        except UnknownStudent:
            return None
        except SharedName as error:
            raise UserError(f"{file}: {error}") from error

    decisions, unknown = extensions_of(entries, student_called, assignment, author_name(), datetime.now(UTC))
    print_remarks(
        f"{entry.place}no student {entry.student!r} in this run, gradebook or roster; the line is ignored. Use the "
        "name in grades.csv, or give --roster for ids and e-mail addresses."
        for entry in unknown[:MAX_UNKNOWN_SHOWN]
    )
    if rest := unknown[MAX_UNKNOWN_SHOWN:]:
        print_remarks([f"{file}: {count_text(len(rest), 'more line has', 'more lines have')} no effect."])
    return decisions
