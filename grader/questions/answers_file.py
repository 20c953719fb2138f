"""answers.toml: a student's answers to the questions of one lesson. The file may come from anybody; it is only read."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.errors import UserError
from grader.questions.question import QUESTION_PREFIX, Question, no_question

ANSWERS_FILE = "answers.toml"
MAX_ANSWERS_FILE_BYTES = 200_000
MAX_DOTS = 1000
"""In a line: the time to read a key of many parts is quadratic in their number."""
MAX_LONG_LINES = 5
"""With MAX_DOTS. Of lines with fewer dots there may be more, as far as they take the same time."""
MAX_STUDENT = 200
MAX_UNKNOWN_NAME_CHARACTERS = 80
"""Characters of an unknown question's name that a sentence shows."""
ANSWERS_FILE_KEYS = ("lesson", "student", "answers")
ANSWERS_FILE_HEAD = (
    "# Your answers to the questions of lesson {number}. `dojo answer {number}` writes this file; you may edit it.\n"
)


@dataclass(frozen=True)
class Answers:
    """The contents of an answers.toml.

    Attributes:
        lesson: the lesson's name or number; "" where the file does not say it.
        student: the name for which the questions' values are drawn; "" where the file does not say it.
        given: {question: what the student answered}, as TOML has it.
    """

    lesson: str = ""
    student: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)

    def to_text(self, number: str) -> str:
        """The text of the file."""
        lines = [
            ANSWERS_FILE_HEAD.format(number=number),
            f"lesson = {quoted(self.lesson)}\n",
            f"student = {quoted(self.student)}\n",
        ]
        lines += ["\n[answers]\n", *(f"{name} = {quoted(answer)}\n" for name, answer in self.given.items())]
        return "".join(lines)


def quoted(value: Any) -> str:
    """A text, a number or a list in TOML, which for these is JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_answers(data: bytes, shown: str = ANSWERS_FILE) -> Answers:
    """Raises UserError, in one sentence, where the file cannot be read or has another form."""
    if len(data) > MAX_ANSWERS_FILE_BYTES:
        raise UserError(f"{shown} has {len(data):,} bytes; expected at most {MAX_ANSWERS_FILE_BYTES:,}.")
    dots = [line.count(b".") for line in data.split(b"\n")]
    if max(dots) > MAX_DOTS:
        raise UserError(f'{shown} has a line with more than {MAX_DOTS:,} dots; expected `question = "answer"`.')
    if sum(count**2 for count in dots) > MAX_LONG_LINES * MAX_DOTS**2:
        raise UserError(f'{shown} has too many lines with hundreds of dots; expected `question = "answer"`.')
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"{shown} cannot be read: {' '.join(str(error).split())[:200]}. Put every answer in quotes."
        ) from None
    for key, kind in (("lesson", (str, int)), ("student", (str, int)), ("answers", dict)):
        if not isinstance(table.get(key, "" if key != "answers" else {}), kind):
            raise UserError(
                f"{shown}: {key} is {type(table[key]).__name__}; expected {'a table' if kind is dict else 'a text'}."
            )
    loose = {name: value for name, value in table.items() if name not in ANSWERS_FILE_KEYS}
    given = {name.removeprefix(QUESTION_PREFIX): answer for name, answer in (loose | table.get("answers", {})).items()}
    lesson, student = (plain_text(table.get(key, ""))[:MAX_STUDENT] for key in ("lesson", "student"))
    return Answers(lesson, student, given)


def plain_text(raw: object) -> str:
    """Any value of a TOML file as a text."""
    try:
        return str(raw)
    except (ValueError, RecursionError):  # a whole number of more digits than Python prints, lists in lists
        return "a value that is too long to print"


def unknown_answers(answers: Answers, questions: Mapping[str, Question], shown: str = ANSWERS_FILE) -> list[str]:
    """A sentence for each answer to what nobody asks; at most five."""
    unknown = [name for name in answers.given if name not in questions]
    return [
        f"{shown}: {no_question(questions, name[:MAX_UNKNOWN_NAME_CHARACTERS], 'the lesson')}" for name in unknown[:5]
    ]
