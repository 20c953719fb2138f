"""The sheets of a defence, in the gradebook under their codes, and what is decided when their answers are entered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from grader.defence.question import DefenceQuestion
from grader.errors import UserError
from grader.gradebook.database import Gradebook
from grader.gradebook.records import Decision
from grader.questions.question import DEFENCE_ROW

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 5
SHEET_ENTRY_PREFIX = "defence "
"""Begins the name of the gradebook's entry of a sheet."""
BLANK_ANSWERS = ("", "-", "–", "—")


@dataclass(frozen=True)
class Sheet:
    """One student's questions about one lesson; without any, `oral` says why a person asks instead."""

    code: str
    student: str
    lesson: str
    title: str
    seed: str
    questions: tuple[DefenceQuestion, ...]
    oral: str = ""


def sheet_code(seed: str, student: str, lesson: str, digest: str) -> str:
    """The code on a sheet: the same for the same student, file and seed. No letter looks like a digit."""
    number = int.from_bytes(hashlib.sha256(f"{seed}/{student}/{lesson}/{digest}".encode()).digest()[:8])
    letters = ""
    for _ in range(CODE_LENGTH):
        number, place = divmod(number, len(ALPHABET))
        letters += ALPHABET[place]
    return letters


def own_code(gradebook: Gradebook, seed: str, student: str, lesson: str, digest: str) -> tuple[str, Sheet | None]:
    """(the code of a student's sheet, the sheet if it was made before). No two students have the same code.

    Codes are short, and a student who knew the seed could find a file with the code of somebody else's sheet.
    """
    while True:
        code = sheet_code(seed, student, lesson, digest)
        kept = kept_sheet(gradebook, code)
        if kept is None or (kept.student, kept.lesson) == (student, lesson):
            return code, kept
        digest += "'"


def rows_graded_wrong(gradebook: Gradebook, student: str, lesson: str) -> set[str]:
    """The rows that a student's newest graded attempt at the lesson has not passed; empty where none was graded.

    The hidden suite finds more than the public check, which decides what the other questions are about.
    """
    graded = [each for attempt in gradebook.stored_attempts(student) for each in attempt.read().lessons]
    rows = next((each.rows for each in reversed(graded) if each.name == lesson and each.rows), [])
    return {row.name for row in rows if row.status != "passed"}


def keep_sheet(gradebook: Gradebook, sheet: Sheet) -> None:
    """Store a sheet with its keys, so that its answers can be entered whatever happens to the files."""
    value = {
        "student": sheet.student,
        "lesson": sheet.lesson,
        "title": sheet.title,
        "seed": sheet.seed,
        "questions": [question.stored() for question in sheet.questions],
    }
    gradebook.keep(SHEET_ENTRY_PREFIX + sheet.code, json.dumps(value, ensure_ascii=False))


def find_sheet(gradebook: Gradebook, code: str) -> Sheet:
    """The sheet with this code, in small or capital letters. Raises UserError."""
    spelt = code.strip(" #.:").upper()
    found = kept_sheet(gradebook, spelt)
    if found is None:
        raise UserError(
            f"no sheet of this gradebook has the code {code!r}: it is printed at the top right of the student's sheet."
        )
    return found


def kept_sheet(gradebook: Gradebook, code: str) -> Sheet | None:
    """The sheet with exactly this code, as it was made first."""
    text = gradebook.kept(SHEET_ENTRY_PREFIX + code)
    if text is None:
        return None
    value = json.loads(text)
    questions = tuple(DefenceQuestion.from_stored(each) for each in value["questions"])
    return Sheet(code, value["student"], value["lesson"], value["title"], value["seed"], questions)


def decision_about(sheet: Sheet, answers: Sequence[str], how: str = "on paper") -> Decision:
    """What the answers of a sheet, in the order of its questions, are worth; without an author.

    Raises UserError for the wrong number of answers, and for one that cannot be read.
    """
    if len(answers) != len(sheet.questions):
        raise UserError(
            f"{sheet.code} ({sheet.student}) has {len(sheet.questions)} questions, and {len(answers)} answers were "
            "given: write - for a question without an answer."
        )
    marks, right = [], 0
    for number, (question, answer) in enumerate(zip(sheet.questions, answers, strict=True), 1):
        if answer in BLANK_ANSWERS:
            marks.append(f"{number} –")
            continue
        if trouble := question.trouble(answer):
            raise UserError(f"{sheet.code} ({sheet.student}), question {number}: {trouble}")
        is_right = question.judged(answer).status == "passed"
        right += is_right
        marks.append(f"{number} {'✓' if is_right else '✗'}")
    text = f"{right} of {len(answers)} right {how} ({', '.join(marks)}; sheet {sheet.code})"
    row = f"{sheet.lesson}.{DEFENCE_ROW}"
    return Decision(0, sheet.student, "defence", "", datetime.now(UTC), row, right / len(answers), None, text)
