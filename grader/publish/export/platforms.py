"""Grade books: a platform's own CSV file with the scores filled in, or a new file that it can import.

Canvas knows students by ID, SIS User ID or SIS Login ID, and an assignment by its column, as in its own export, such as
"Lesson 03 (98765)" (https://community.canvaslms.com, How do I import grades in the Gradebook?). Moodle's grading
worksheet knows them by Identifier and needs all of its columns (mod/assign/feedback/offline/importgradeslib.php); its
grade book knows them by what is chosen there, such as the e-mail address (https://docs.moodle.org/en/Grade_import).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from grader.errors import UserError
from grader.intake.submissions.roster import Member, Roster
from grader.publish.export.marks import TOTAL_COLUMN, Marks, as_csv, lesson_named
from grader.results import number, points_text

POINTS_POSSIBLE = "    Points Possible"  # with these spaces Canvas writes it


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

    def own_column(self, roster: Roster, name: str) -> str | None:
        """The column with this name in the platform's own file; None in another file, or without one."""
        columns = {column.lower(): column for column in roster.columns}
        return columns.get(name.lower()) if name and any(each in columns for each in self.key) else None

    def columns(self, marks: Marks) -> dict[str, str]:
        """{lesson or TOTAL_COLUMN: column} where the command line names none."""
        if total := self.grade or marks.assignment:
            return {TOTAL_COLUMN: total}
        return {lesson: lesson for lesson in marks.possible if lesson != TOTAL_COLUMN}

    def known_maxima(self, roster: Roster, columns: Mapping[str, str]) -> dict[str, float]:
        """{lesson: maximum} as the platform's own file says it. Raises UserError for several of one column."""
        found = {lesson: {roster.possible.get(column, "")} for lesson, column in columns.items()}
        if column := self.own_column(roster, self.maximum):
            cells = {cell for member in roster.members if (cell := member.line.get(column, ""))}
            found = {lesson: cells for lesson, name in columns.items() if name == self.grade}
        for cells in found.values():
            if len({points_in_cell(cell) for cell in cells}) > 1:
                texts = ", ".join(sorted(cells)[:5])
                raise UserError(f"the column `{column}` has several values ({texts}): give the maximum with --max.")
        maxima = {lesson: points_in_cell(next(iter(cells), "")) for lesson, cells in found.items()}
        return {lesson: maximum for lesson, maximum in maxima.items() if maximum is not None}

    def csv_text(
        self, roster: Roster, marks: Marks, columns: Mapping[str, str], comments: Mapping[str, str] | None = None
    ) -> str:
        """The platform's own file with the scores, all other cells as they were; else a new file.

        Args:
            columns: {lesson or TOTAL_COLUMN: column}
            comments: {student: a comment}, for a file that has a column for them.
        """
        is_own = any(self.own_column(roster, column) for column in self.key)
        header = list(roster.columns) if is_own else list(self.identity)
        places = {name: self.own_column(roster, name) or name for name in columns.values()}
        header += [name for name in places.values() if name not in header]
        rows = []
        if not self.maximum:
            possible = {places[name]: f"{number(marks.possible[lesson])}" for lesson, name in columns.items()}
            cells = {**(roster.possible if is_own else {}), **possible, header[0]: POINTS_POSSIBLE}
            rows.append([cells.get(column, "") for column in header])
        for member in roster.members:
            cells = dict(member.line) if is_own else self.identity_of(member)
            cells |= {places[name]: marks.cell(member, lesson) for lesson, name in columns.items()}
            if (column := self.own_column(roster, self.comments)) and member.student in (comments or {}):
                cells[column] = (comments or {})[member.student]
            rows.append([cells.get(column, "") for column in header])
        return as_csv([header, *rows])

    def identity_of(self, member: Member) -> dict[str, str]:
        known = {column.lower(): cell.strip() for column, cell in member.line.items()}
        known |= {"name": member.name, "id": member.id, "email": member.email}
        return {column: known.get(source, "") for column, source in self.identity.items()}


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
    if re.fullmatch(r"([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),([0-9]{1,2}|[0-9]{4,})", text):  # a decimal comma
        text = text.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?", text):
        text = text.replace(",", "")
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", text):
        return None
    return float(text) or None


def maxima_of(
    platform: Platform, roster: Roster, marks: Marks, columns: Mapping[str, str], options: Sequence[str]
) -> dict[str, float]:
    """{lesson: maximum} from `--max 100` (every column) and `--max 03=50`, else from the file. Raises UserError."""
    maxima: dict[str, float] = {}
    for option in sorted(options, key=lambda option: "=" in option):  # one column comes after all
        name, equals, text = option.rpartition("=")
        value = points_in_cell(text)
        named = lesson_named(marks, name) if equals else None
        if value is None or (equals and named not in columns):
            raise UserError(
                f"--max {option!r}: give a positive number, or LESSON=NUMBER with one of {', '.join(columns)}."
            )
        maxima |= dict.fromkeys(columns if named is None else [named], value)
    return maxima if maxima.keys() >= columns.keys() else {**platform.known_maxima(roster, columns), **maxima}


def scaled_to(maxima: Mapping[str, float], marks: Marks, columns: Mapping[str, str]) -> Marks:
    """The marks with each column's maximum as in `maxima`, and a sentence for each column that this changes."""
    factors = {
        lesson: maximum / marks.possible[lesson]
        for lesson, maximum in maxima.items()
        if lesson in columns and marks.possible.get(lesson) and maximum != marks.possible[lesson]
    }
    remarks = [
        f"{columns[lesson]}: scores out of {points_text(marks.possible[lesson])} are scaled to the platform's maximum "
        f"of {points_text(maxima[lesson])}."
        for lesson in factors
    ]
    scores = {
        student: {lesson: score * factors.get(lesson, 1) for lesson, score in own.items()}
        for student, own in marks.scores.items()
    }
    possible = {**marks.possible, **{lesson: maxima[lesson] for lesson in factors}}
    return replace(marks, scores=scores, possible=possible, remarks=(*marks.remarks, *remarks))
