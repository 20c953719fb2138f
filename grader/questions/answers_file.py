"""answers.toml: a student's answers to the questions of one lesson. The file may come from anybody; it is only read."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.errors import UserError
from grader.questions.question import QUESTION_PREFIX

ANSWERS_FILE = "answers.toml"
MAX_ANSWERS_FILE_BYTES = 200_000
MAX_SQUARED_DOTS = 5_000_000
"""Summed over the lines: the time to read a key of many parts is quadratic in their number."""
MAX_STUDENT = 200
ANSWERS_FILE_KEYS = {"lesson": str | int, "student": str | int, "answers": dict}
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
        head = ANSWERS_FILE_HEAD.format(number=number)
        given = "".join(f"{name} = {quoted(answer)}\n" for name, answer in self.given.items())
        return f"{head}lesson = {quoted(self.lesson)}\nstudent = {quoted(self.student)}\n\n[answers]\n{given}"


def quoted(value: Any) -> str:
    """A text, a number or a list in TOML, which for these is JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_answers(data: bytes, shown: str = ANSWERS_FILE) -> Answers:
    """Raises UserError, in one sentence, where the file cannot be read or has another form."""
    if len(data) > MAX_ANSWERS_FILE_BYTES:
        raise UserError(f"{shown} has {len(data):,} bytes; expected at most {MAX_ANSWERS_FILE_BYTES:,}.")
    if sum(line.count(b".") ** 2 for line in data.split(b"\n")) > MAX_SQUARED_DOTS:
        raise UserError(f'{shown} has lines with hundreds of dots; expected `question = "answer"`.')
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        why = " ".join(str(error).split())[:200]
        raise UserError(f"{shown} cannot be read: {why}. Put every answer in quotes.") from None
    for key, kind in ANSWERS_FILE_KEYS.items():
        if key in table and not isinstance(table[key], kind):
            expected = "a table" if kind is dict else "a text"
            raise UserError(f"{shown}: {key} is {type(table[key]).__name__}; expected {expected}.")
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
