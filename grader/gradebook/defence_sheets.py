"""The sheets of a defence, in the gradebook under their codes, and what is decided when their answers are entered."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from grader.defence.question import DefenceQuestion
from grader.errors import UserError
from grader.gradebook.database import Gradebook
from grader.gradebook.records import Attempt, Decision
from grader.intake.lesson_files import LessonFiles
from grader.questions.question import DEFENCE_ROW
from grader.results import SubmissionResult
from grader.results.wording import count_text
from grader.typed_json import from_json, to_json

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Of codes: no letter looks like a digit."""
CODE_LENGTH = 5
SEED_ENTRY, SHEET_ENTRY_PREFIX = "defence seed", "defence "
"""The name of the gradebook's entry of a seed, and how the name of a sheet's entry begins."""
BLANK_ANSWERS = ("", "-", "–", "—")


@dataclass(frozen=True)
class Sheet:
    """One student's questions about one lesson; without any, `oral` says why a person asks instead."""

    code: str
    student: str
    lesson: str
    title: str
    questions: tuple[DefenceQuestion, ...]
    oral: str = ""


class SheetBook:
    """The sheets of a gradebook, by their codes.

    Attributes:
        seed: of codes and questions, drawn once for a gradebook.
    """

    def __init__(self, gradebook: Gradebook) -> None:
        self._gradebook = gradebook
        self.seed = gradebook.kept(SEED_ENTRY) or secrets.token_hex(16)

    def own_code(self, student: str, lesson: str, digest: str) -> tuple[str, Sheet | None]:
        """(the code of a student's sheet, the sheet if it was made before): the same for the same file.

        No two students have the same code. Codes are short, and a student who knew the seed could find a file with the
        code of somebody else's sheet.
        """
        while True:
            number = int.from_bytes(hashlib.sha256(f"{self.seed}/{student}/{lesson}/{digest}".encode()).digest()[:8])
            code = "".join(ALPHABET[number // len(ALPHABET) ** place % len(ALPHABET)] for place in range(CODE_LENGTH))
            kept = self._kept(code)
            if kept is None or (kept.student, kept.lesson) == (student, lesson):
                return code, kept
            digest += "'"

    def keep(self, sheet: Sheet) -> None:
        """Store a sheet with its keys, so that its answers can be entered whatever happens to the files."""
        self._gradebook.keep(SEED_ENTRY, self.seed)
        self._gradebook.keep(SHEET_ENTRY_PREFIX + sheet.code, json.dumps(to_json(sheet), ensure_ascii=False))

    def find(self, code: str) -> Sheet:
        """The sheet with this code, in small or capital letters. Raises UserError."""
        found = self._kept(code.strip(" #.:").upper())
        if found is None:
            raise UserError(
                f"no sheet of this gradebook has the code {code!r}: it is printed at the top right of the student's "
                "sheet."
            )
        return found

    def _kept(self, code: str) -> Sheet | None:
        """The sheet with exactly this code, as it was made first."""
        text = self._gradebook.kept(SHEET_ENTRY_PREFIX + code)
        found: Sheet | None = None if text is None else from_json(Sheet, {"code": code} | json.loads(text))
        return found


@dataclass(frozen=True)
class Defended:
    """What a student defends: `lesson` of a submission with this digest, without the rows that were graded wrong."""

    student: str
    files: LessonFiles
    sha256: str
    wrong: frozenset[str] = frozenset()


def stored_work(gradebook: Gradebook, attempts: Iterable[Attempt], student: str, lesson: str) -> Defended | None:
    """A student's newest submitted file of the lesson; None where no attempt has one that could be read.

    `attempts` are the student's, the newest first.
    """
    for attempt in attempts:
        submission = gradebook.submission(attempt)
        files = submission.lessons.get(lesson)
        if files is not None and files.present and not files.rejected:
            graded = (each for each in attempt.results.lessons if each.name == lesson and each.status == "graded")
            wrong = frozenset(row.name for part in graded for row in part.rows if row.status != "passed")
            return Defended(student, files, replace(submission, lessons={lesson: files}).sha256, wrong)
    return None


def is_excused(results: SubmissionResult, lesson: str) -> bool:
    """Whether the assignment, the lesson or its defence does not count for the student."""
    parts = [each for each in results.lessons if each.name == lesson]
    rows = [row for part in parts for row in part.rows if row.name == DEFENCE_ROW]
    return any(each is not None for each in (results.excused, *(p.excused for p in parts), *(r.excused for r in rows)))


def decision_about(sheet: Sheet, answers: Sequence[str]) -> Decision:
    """What the answers of a sheet, in the order of its questions, are worth; without an author.

    Raises UserError for the wrong number of answers, and for one that cannot be read.
    """
    if len(answers) != len(sheet.questions):
        raise UserError(
            f"{sheet.code} ({sheet.student}) has {count_text(len(sheet.questions), 'question')}, and "
            f"{count_text(len(answers), 'answer was', 'answers were')} given: write - for a question without an answer."
        )
    marks, right = [], 0
    for number, (question, answer) in enumerate(zip(sheet.questions, answers, strict=True), 1):
        if answer in BLANK_ANSWERS:
            marks.append(f"{number} –")
            continue
        judged = question.judged(answer)
        if judged.status == "error":
            raise UserError(f"{sheet.code} ({sheet.student}), question {number}: {judged.message}")
        is_right = judged.status == "passed"
        right += is_right
        marks.append(f"{number} {'✓' if is_right else '✗'}")
    text = f"{right} of {len(answers)} right on paper ({', '.join(marks)}; sheet {sheet.code})"
    row = f"{sheet.lesson}.{DEFENCE_ROW}"
    return Decision(0, sheet.student, "defence", "", datetime.now(UTC), row, right / len(answers), None, text)
