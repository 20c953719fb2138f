"""`grade run --intake FILE`, and OUT/intake.csv with what the instructor should decide."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.errors import UserError
from grader.gradebook.files import output_errors, write_whole
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.intake_csv import (
    NAME,
    IntakeLine,
    confirmed,
    decisions,
    intake_text,
    read_intake,
    updated_lines,
)
from grader.lesson.lesson import Course

MOST_NAMED = 5


def apply_intake(found: FoundSubmissions, out: Path, given: Path | None, course: Course) -> list[IntakeLine]:
    """Makes `found` read submissions as OUT/intake.csv and the file `given` say. Raises UserError.

    Of OUT/intake.csv only confirmed lines count; a file that is given confirms all of its lines.
    """
    lines = confirmed_and_given(out, given, course)
    if given is not None:
        names = {line.student for line in read_intake(given, course)}
        students = {arrival.student for arrival in found.arrivals}
        if names and names.isdisjoint(students):
            raise UserError(
                f"{given} names {', '.join(sorted(names)[:MOST_NAMED])}, and no submission of this run has that name: "
                "write the names as in grades.csv."
            )
    found.decided = decisions(lines)
    if given is not None:
        for submission in (found.read(student) for student in sorted(names & students)):
            for remark in submission.remarks:
                if remark.kind == "unread" and NAME in remark.message:
                    raise UserError(f"{given}, {submission.student}: {remark.message}")
    return lines


def confirmed_and_given(out: Path, given: Path | None, course: Course) -> list[IntakeLine]:
    """The lines of OUT/intake.csv, and those of the file `given`, which are confirmed. Raises UserError."""
    new = [] if given is None else confirmed(read_intake(given, course))
    names = {(line.student, line.found) for line in new}
    return [line for line in stored_lines(out, course) if (line.student, line.found) not in names] + new


def stored_lines(out: Path, course: Course) -> list[IntakeLine]:
    """The lines of OUT/intake.csv; none where there is no such file. Raises UserError."""
    return read_intake(out / NAME, course) if (out / NAME).is_file() else []


def store_intake(found: FoundSubmissions, out: Path, lines: Sequence[IntakeLine]) -> list[str]:
    """Writes OUT/intake.csv, if there is anything to decide; returns sentences about it. Raises OutputError."""
    path = out / NAME
    kept, edited = updated_lines(lines, found.questions)
    if not kept and not path.is_file():
        return []
    with output_errors(path):
        write_whole(path, intake_text(kept))
    sentences = []
    if open_ := [line.student for line in kept if not line.confirmed]:
        count = len(set(open_))
        sentences.append(
            f"{count} submission{'s' if count > 1 else ''} can be read in several ways: edit `guess` in {path}, then "
            f"run again with --intake {path}."
        )
    if edited:
        sentences.append(f"{path} was edited for {', '.join(edited[:MOST_NAMED])}, which counts only with --intake.")
    return sentences
