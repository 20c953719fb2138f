"""intake.csv: how submissions are read that can be read in several ways. A person edits it and gives it back.

One line for each student and question. `guess` is what the grader uses until a line is confirmed; it and `alternatives`
are written LESSON: FILE, several with a semicolon between them.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import LessonError, UserError
from grader.intake.submissions.tables import read_table
from grader.lesson.lesson import Course

INTAKE_FILE = "intake.csv"
INTAKE_CSV_COLUMNS = ("student", "found", "guess", "reason", "alternatives", "confirmed")
UNCONFIRMED = ("", "no", "0", "false")


@dataclass(frozen=True)
class IntakeLine:
    """A line of intake.csv: something about a submission that a person should decide.

    Attributes:
        found: the files that it is about.
        guess: {lesson: file}, which is used until somebody decides; "" for a lesson that no file is.
        reason: a sentence.
        alternatives: LESSON: FILE of those that are possible as well.
    """

    student: str
    found: str
    guess: Mapping[str, str]
    reason: str = ""
    alternatives: str = ""
    confirmed: bool = False

    @property
    def question(self) -> tuple[str, ...]:
        """The columns that nobody edits: equal for the same question of two runs."""
        return self.student, self.found, self.reason, self.alternatives

    @property
    def subject(self) -> tuple[str, ...]:
        """The student and the lessons: one confirmed line decides about them."""
        return self.student, *sorted(self.guess)


def intake_question(student: str, files: Iterable[str], reason: str, lesson: str = "") -> IntakeLine:
    """A line about several files: the first is the guess for the `lesson`, each of the others is possible as well."""
    cells = [file_cell(file) for file in files]
    guess = {lesson: cells[0].removeprefix("./")} if lesson else {}
    others = "; ".join(f"{lesson}: {cell}" for cell in cells[1:]) if lesson else ""
    return IntakeLine(student, "; ".join(cells), guess, file_cell(reason), others)


def begins_formula(text: str) -> bool:
    """Whether a spreadsheet may take a cell for a formula."""
    return unicodedata.normalize("NFKC", text)[:1] in tuple("=+-@|")


def file_cell(file: str) -> str:
    """A file's place in the submission as a cell: `_` for what separates, or nobody sees."""
    safe = "".join("_" if each == ";" or not each.isprintable() else each for each in file).strip()
    return f"./{safe}" if begins_formula(safe) else safe


def read_intake(path: Path, course: Course) -> list[IntakeLine]:
    """The lines of an intake.csv, as written or as a spreadsheet saves it. Raises UserError."""
    table, result = read_table(path, "the intake.csv of an earlier run", INTAKE_CSV_COLUMNS), list[IntakeLine]()
    if not {"student", "guess"} <= {column.casefold() for column in table.columns}:
        raise table.without(", ".join(INTAKE_CSV_COLUMNS))
    for line, row in table.rows:
        entry = dict.fromkeys(INTAKE_CSV_COLUMNS, "") | row
        student, where = entry["student"], f"{path}, {line}"
        if not student:
            raise UserError(f"{where} has no student: write the name as in grades.csv.")
        student = student.removeprefix("'" if begins_formula(student.lstrip("'")) else "")
        guess, is_confirmed = guess_of(entry["guess"], where, course), entry["confirmed"].lower() not in UNCONFIRMED
        texts = entry["reason"], entry["alternatives"]
        result.append(IntakeLine(student, entry["found"], guess, *texts, is_confirmed))
    return result


def guess_of(cell: str, where: str, course: Course) -> dict[str, str]:
    """{lesson: file} of a cell. Raises UserError."""
    guess: dict[str, str] = {}
    for part in filter(str.strip, re.split(r"\s*;\s*(?=[^;:]*:)|;\s*$", cell)):
        lesson, colon, file = (piece.strip() for piece in part.partition(":"))
        if not colon:
            raise UserError(f"{where}: {part[:80]!r} is no guess: write LESSON: FILE, such as 03: work/backward.py.")
        try:
            name = course.find(lesson).name
        except LessonError as error:
            raise UserError(f"{where}: {error}") from error
        file = file.removeprefix("./")
        if guess.setdefault(name, file) != file:
            raise UserError(f"{where} gives two files for {name}: write one, or one line with all of them removed.")
    return guess


def decisions(lines: Iterable[IntakeLine]) -> dict[str, dict[str, str]]:
    """{student: {lesson: file}} of the confirmed lines; a later line counts before an earlier one."""
    found: dict[str, dict[str, str]] = {}
    for line in lines:
        if line.confirmed:
            found.setdefault(line.student, {}).update(line.guess)
    return found


def updated_lines(
    lines: Sequence[IntakeLine], questions: Mapping[str, Sequence[IntakeLine]], lessons: Collection[str]
) -> tuple[list[IntakeLine], list[str]]:
    """The lines after a run with these `questions`, {student: questions}, and students whose edited line is not used.

    A confirmed line stays for ever. So does a line about a student or a lesson that is not in this run (`lessons`), and
    a line that a person has edited and not confirmed.
    """
    confirmed = {line.subject: line for line in lines if line.confirmed}
    kept, edited = list(confirmed.values()), dict[str, None]()
    before = {line.question: line for line in lines if not line.confirmed}
    for line in (each for own in questions.values() for each in own):
        kept.append(before.pop(line.question, line))
        if kept[-1].guess != line.guess:
            edited[line.student] = None
    for line in before.values():
        is_elsewhere = line.student not in questions or (line.guess and line.guess.keys().isdisjoint(lessons))
        if is_elsewhere and line.subject not in confirmed:
            kept.append(line)
    return sorted(kept, key=lambda line: (line.student.lower(), line.found, [*line.guess])), list(edited)


def intake_text(lines: Iterable[IntakeLine]) -> str:
    """The text of intake.csv: the header and a line per entry."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(INTAKE_CSV_COLUMNS)
    for line in lines:
        student = f"'{line.student}" if begins_formula(line.student.lstrip("'")) else line.student
        guess = "; ".join(f"{lesson}: {file_cell(file)}" for lesson, file in line.guess.items())
        yes = "yes" if line.confirmed else ""
        writer.writerow([student, line.found, guess, line.reason, line.alternatives, yes])
    return text.getvalue()
