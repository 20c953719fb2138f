"""A class's scores in a platform's grade book: its own CSV file with the scores filled in, or a new one to import.

Canvas knows students by ID, SIS User ID or SIS Login ID, and an assignment by its column, as in its own export, such as
"Lesson 03 (98765)" (https://community.canvaslms.com, How do I import grades in the Gradebook?). Moodle's grading
worksheet knows them by Identifier and needs all of its columns (mod/assign/feedback/offline/importgradeslib.php); its
grade book knows them by what is chosen there, such as the e-mail address (https://docs.moodle.org/en/Grade_import).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from grader.errors import UserError
from grader.gradebook.assignment.rows import names_of_lesson
from grader.gradebook.database import Gradebook
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.roster import Member, Roster
from grader.intake.submissions.roster_matching import join
from grader.publish.inert import csv_text, formula_free
from grader.publish.report.classroom import MAX_NAMES_IN_SENTENCE, incomplete
from grader.results import TOTAL, SubmissionResult, number, points_text
from grader.results.wording import first_names

AGAIN = re.compile(r"(.+)-\d+")
"""The name of a second submission that came under one name: `ada-2`."""
POINTS_POSSIBLE = "    Points Possible"  # with these spaces Canvas writes it


# Scores ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Marks:
    """The scores of a class. A column is a lesson, or TOTAL.

    Attributes:
        results: {the member's `student`: their results}.
        possible: {column: what a full score is worth}. A column has one maximum for everybody.
        remarks: sentences about who is missing on either side.
        title: the assignment's; "" without one.
        round: the assignment's number of decimals.
    """

    results: Mapping[str, SubmissionResult]
    possible: Mapping[str, float]
    remarks: tuple[str, ...]
    title: str = ""
    round: int | None = None

    def cell(self, member: Member, column: str) -> str:
        """Empty where there is no score, which is not a zero."""
        found = self.results.get(member.student)
        share = found.shares().get(column) if found else None
        return "" if share is None else f"{number(share * self.possible[column], self.round)}"

    def scaled_to(self, maxima: Mapping[str, float], columns: Mapping[str, str]) -> Marks:
        """The marks out of `maxima`, {column: maximum}, and a sentence for each of `columns` that this changes."""
        changed = {name: maximum for name, maximum in maxima.items() if self.possible.get(name) not in (0, maximum)}
        remarks = [
            f"{columns[name]}: scores out of {points_text(self.possible[name])} are scaled to the platform's maximum "
            f"of {points_text(maximum)}."
            for name, maximum in changed.items()
        ]
        return replace(self, possible={**self.possible, **changed}, remarks=(*self.remarks, *remarks))


def read_marks(gradebook: Gradebook, roster: Roster) -> Marks:
    """From the current results. A student whom several of them match has no score. Raises UserError."""
    results, assignment = class_results(gradebook), gradebook.assignment()
    joined = join(roster, [arrival_of_folder(student, results) for student in results], in_groups=False)
    owners = {member: results[arrivals[0].student] for member, arrivals in joined.owned.items()}
    possible: dict[str, float] = {}
    for lesson in (lesson for found in results.values() for lesson in found.lessons):
        possible[lesson.name] = max(possible.get(lesson.name, 0), lesson.max_score)
    total = sum(possible.values())
    if assignment is not None and assignment.round is not None:  # three lessons of 33.33 points are 100 together
        total = max([total, *(each.max_score for each in results.values() if each.status == "graded")])
    remarks = [*joined.attendance.remarks, *incomplete(list(results.values()))]
    if absent := joined.attendance.absent:
        names = first_names([member.name for member in absent], MAX_NAMES_IN_SENTENCE)
        remarks.append(f"{len(absent)} of the roster without a score, their cells are empty: {names}.")
    if excused := [student for student, found in results.items() if found.excused is not None]:
        remarks.append(f"Excused, with empty cells ({len(excused)}): {first_names(excused, MAX_NAMES_IN_SENTENCE)}.")
    title = next((found.assignment.title for found in results.values() if found.assignment is not None), "")
    decimals = None if assignment is None else assignment.round
    return Marks(owners, dict(sorted(possible.items())) | {TOTAL: total}, tuple(remarks), title, decimals)


def class_results(gradebook: Gradebook) -> dict[str, SubmissionResult]:
    """{student: current results}. Raises UserError where there are none."""
    results = {found.student: found for found in gradebook.current()}
    if not results:
        raise UserError("the gradebook has no results yet: name the folder of a `grade run` that has ended, with -o.")
    return dict(sorted(results.items()))


def arrival_of_folder(student: str, students: Collection[str]) -> Arrival:
    """Whose a folder of OUT may be. `ada` and `ada-2` came under one name, so neither is certain."""
    numbered = AGAIN.fullmatch(student)
    if numbered and numbered[1] in students:
        return Arrival(student, Path(student), names=(numbered[1],), own=True)
    return Arrival(student, Path(student), own=f"{student}-2" not in students)


# Files ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Platform:
    """A platform's grade book. Names of columns in its own file are compared in small letters.

    Attributes:
        key: one of these columns is in the platform's own file, and in no other.
        identity: the first columns of a new file, {column: what it has of a student}: name, id, email, or another
            column of the roster.
        grade: the column of the total; "" for a column per lesson, or one for the gradebook's assignment.
        maximum: the column of the maximum; "" for a line "Points Possible".
        comments: the column of comments, or "".
    """

    key: tuple[str, ...]
    identity: Mapping[str, str]
    grade: str = ""
    maximum: str = ""
    comments: str = ""

    def own_columns(self, roster: Roster) -> dict[str, str]:
        """{a column of the platform's own file, in small letters: as it is written}; nothing of another file."""
        columns = {column.lower(): column for column in roster.columns}
        return columns if any(each in columns for each in self.key) else {}

    def columns(self, marks: Marks, named: Sequence[str]) -> dict[str, str]:
        """{lesson or TOTAL: the grade book's column}, from LESSON=COLUMN texts if any. Raises UserError."""
        columns = {}
        for text in named:
            name, equals, column = text.partition("=")
            fitting = [lesson for lesson in marks.possible if name in names_of_lesson(lesson)]
            if not equals or not column.strip() or len(fitting) != 1:
                raise UserError(f"--name {text!r}: give LESSON=COLUMN, with a lesson of {', '.join(marks.possible)}.")
            columns[fitting[0]] = column.strip()
        if columns:
            return columns
        total = self.grade or marks.title
        return {TOTAL: total} if total else {name: name for name in marks.possible if name != TOTAL}

    def maxima(self, roster: Roster, columns: Mapping[str, str]) -> dict[str, float]:
        """{lesson: maximum} as the platform's own file says it. Raises UserError for several of one column."""
        maxima, column = dict[str, float](), self.own_columns(roster).get(self.maximum.lower())
        for lesson, name in columns.items():
            cells = {roster.possible.get(name, "")}
            if column:
                cells = {member.line.get(column, "") for member in roster.members} if name == self.grade else set()
            values = {points_in_cell(cell) for cell in cells if cell}
            if len(values) > 1:
                texts = ", ".join(sorted(cells)[:5])
                raise UserError(f"the column `{column}` has several values ({texts}): give the maximum with --max.")
            if (value := next(iter(values), None)) is not None:
                maxima[lesson] = value
        return maxima

    def csv_text(self, roster: Roster, marks: Marks, columns: Mapping[str, str], comments: Mapping[str, str]) -> str:
        """The platform's own file with the scores, all other cells as they were; else a new file.

        Args:
            columns: {lesson or TOTAL: column}
            comments: {student: a comment}, which goes into an empty cell of a column for comments.
        """
        own = self.own_columns(roster)
        header, comment = list(roster.columns if own else self.identity), own.get(self.comments.lower())
        places = {lesson: own.get(name.lower(), name) for lesson, name in columns.items()}
        header += [name for name in places.values() if name not in header]
        lines = list[Mapping[str, str]]()
        if not self.maximum:
            possible = {name: f"{number(marks.possible[lesson])}" for lesson, name in places.items()}
            lines.append({**(roster.possible if own else {}), **possible, header[0]: POINTS_POSSIBLE})
        for member in roster.members:
            known = {column.lower(): cell.strip() for column, cell in member.line.items()}
            known |= {"name": member.name, "id": member.id, "email": member.email}
            new = {column: known.get(source, "") for column, source in self.identity.items()}
            cells = dict(member.line) if own else new
            cells |= {name: marks.cell(member, lesson) for lesson, name in places.items()}
            if comment and not cells.get(comment, "").strip():
                cells[comment] = comments.get(member.student, "")
            lines.append(cells)
        rows = [header, *([cells.get(column, "") for column in header] for cells in lines)]
        return csv_text([list(map(formula_free, row)) for row in rows])


PLATFORMS: Final = {
    "canvas": Platform(
        key=("sis user id", "sis login id"),
        identity={"Student": "name", "ID": "", "SIS User ID": "id", "SIS Login ID": "login", "Section": "section"},
    ),
    "moodle": Platform(
        key=("identifier",),
        identity={"Identifier": "id", "Full name": "name", "Email address": "email"},
        grade="Grade",
        maximum="Maximum Grade",
        comments="Feedback comments",
    ),
}


def points_in_cell(cell: str) -> float | None:
    """A positive number as a platform writes it: "100.00", "100,00", "1,000"; None for anything else."""
    text = re.sub(r"\s", "", cell)
    if re.fullmatch(r"[0-9.]+,([0-9]{1,2}|[0-9]{4,})", text):  # a decimal comma
        text = text.replace(".", "").replace(",", ".")
    text = text.replace(",", "")
    return float(text) or None if re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", text) else None
