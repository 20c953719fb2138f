"""What students defend: files of the gradebook, or submissions that were not graded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.commands.deciding import student_names
from grader.commands.remembered import roster_of
from grader.gradebook.database import Gradebook
from grader.gradebook.defence_sheets import Defended, newest_results, stored_work
from grader.gradebook.lookup import find_student
from grader.intake.submissions.finding import FoundSubmissions, find
from grader.lesson.lesson import Course, Lesson


def submissions_on_disk(
    paths: Sequence[Path], lesson: Lesson, course: Course, out: Path, roster_file: Path | None
) -> FoundSubmissions:
    """The submissions at `paths`, under the names that the gradebook's roster gives them. Raises UserError."""
    return find(paths, [lesson], list(course.lessons.values()), roster_of(out, roster_file))


def works_on_disk(gradebook: Gradebook, found: FoundSubmissions, lesson: str) -> Iterator[tuple[str, Defended | None]]:
    """(student, what they defend) of every submission; None where it has no file of the lesson."""
    for submission in found:
        results = newest_results(gradebook, submission.student, lesson)
        yield submission.student, Defended.of(submission.student, submission, lesson, results)


def works_in_gradebook(
    gradebook: Gradebook, names: Sequence[str], lesson: str
) -> Iterator[tuple[str, Defended | None]]:
    """The same of the students who are named, or of everybody where no name is given. Raises UserError."""
    chosen = {find_student(name, *student_names(gradebook)) for name in names}
    for student, attempts in sorted(gradebook.by_person(), key=lambda pair: pair[0].lower()):
        if student in chosen or not chosen:
            yield student, stored_work(gradebook, attempts, student, lesson)
