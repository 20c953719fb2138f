"""What a comparison reads: the files of submissions, the verdicts in a gradebook, the groups of a roster."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from grader.gradebook.current import is_result_of
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.similarity.evidence import Rows
from grader.gradebook.tables import StoredAttempt
from grader.intake.submissions.roster import Roster
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.results import UNWRITTEN, Row, SubmissionResult

GROUP_COLUMNS = ("group", "group name", "team")


def graded_texts(submission: Submission) -> dict[str, bytes]:
    """{"03_makemore_steps/backward.py": its content} of every file that is graded."""
    return {
        f"{lesson}/{name}": content
        for lesson, submitted in submission.lessons.items()
        for name, content in submitted.files.items()
    }


def stored_texts(out: Path, lessons: Collection[str]) -> dict[str, dict[str, bytes]]:
    """{student: files as of `graded_texts`}, from OUT's gradebook.

    The files of a lesson are those of the attempt that counts.
    """
    book = Gradebook(out / GRADEBOOK)
    found: dict[str, dict[str, bytes]] = {}
    try:
        names, attempts = book.new_names(), dict[str, list[StoredAttempt]]()
        for student, stored in book.by_student():
            attempts.setdefault(names.get(student, student), []).extend(stored)
        for results in book.current():
            own = [(each, each.read()) for each in sorted(attempts.get(results.student, ()), reverse=True)]
            if own:
                found[results.student] = {}
            loaded: dict[int, dict[str, bytes]] = {}
            for lesson in results.lessons if own else ():
                attempt = next((each for each, read in own if is_result_of(lesson, read)), None)
                if attempt is None or lesson.name not in lessons:
                    continue
                if attempt.id not in loaded:
                    loaded[attempt.id] = graded_texts(book.blobs.load_value(Submission, attempt.submission))
                texts = loaded[attempt.id].items()
                found[results.student] |= {path: text for path, text in texts if path.startswith(f"{lesson.name}/")}
    finally:
        book.close()
    return found


def steps_of_course(course: Course) -> frozenset[str]:
    """The functions whose parameters the grader passes by name."""
    return frozenset(
        item.name for lesson in course.lessons.values() if not lesson.config.function for item in lesson.gradients
    )


def verdicts_in(out: Path, course: Course, students: Collection[str]) -> tuple[dict[str, Rows], list[str]]:
    """(the current verdicts of these students in a gradebook, sentences about what is missing)."""
    found: dict[str, Rows] = {}
    if (out / GRADEBOOK).is_file():
        book = Gradebook(out / GRADEBOOK)
        try:
            found = {each.student: rows_by_function(each, course) for each in book.current()}
        finally:
            book.close()
    missing = [student for student in students if not found.get(student)]
    if not missing:
        return found, []
    who = (
        "no submission"
        if len(missing) == len(students)
        else f"{len(students) - len(missing)} of {len(students)} submissions"
    )
    sentence = (
        f"{out} has verdicts for {who}. Which of the other answers are wrong is not known, and shared wrong answers "
        f"say most. Grade first: grade run SUBMISSIONS -o {out}"
    )
    return found, [sentence]


def rows_by_function(results: SubmissionResult, course: Course) -> Rows:
    """{(lesson, function): the verdict on it}; of several rows about one function, the first that is wrong."""
    found: dict[tuple[str, str], Row] = {}
    for lesson in results.lessons:
        own = course.lessons.get(lesson.name)
        for row in lesson.rows:
            key = lesson.name, function_of_row(row, own)
            if key not in found or (found[key].status in ("passed", *UNWRITTEN) and row.status != "passed"):
                found[key] = row
    return found


def function_of_row(row: Row, lesson: Lesson | None) -> str:
    return next((item.function for item in lesson.items if item.name == row.name), row.name) if lesson else row.name


def groups_of(roster: Roster | None) -> dict[str, str]:
    """{student: group} of a roster with a column `group`."""
    found = {}
    for member in roster.members if roster else ():
        cells = {column.strip().casefold(): cell.strip() for column, cell in member.line.items()}
        group = next((cells[name] for name in GROUP_COLUMNS if cells.get(name)), "")
        if group:
            found[member.student] = group
    return found
