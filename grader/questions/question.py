"""A lesson's questions (exercises/NN_name/questions.toml) and their keys (solutions/NN_name/questions.toml)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from grader.errors import LessonError
from grader.lesson.course_modules import require_named
from grader.lesson.lesson import Lesson
from grader.lesson.toml_tables import ABOVE_ZERO, FROM_ZERO, Table, is_number, read_toml, setting
from grader.source.similar_names import close_name

QUESTIONS_FILE = "questions.toml"
QUESTION_PREFIX = "q:"
"""Of the names of rows that are answers to questions: `q:zeros`."""
DEFENCE_ROW = "q:defence"
"""The row of a lesson with the result of a defence (`grade defence`)."""

Kind = Literal["number", "shape", "choice", "multiple", "order", "formula", "code", "text"]
QUESTION_KINDS: tuple[Kind, ...] = get_args(Kind)
WITH_CHOICES = ("choice", "multiple", "order")
OF_KIND = {
    "formula": ("variables",),
    "code": ("given",),
    **dict.fromkeys(WITH_CHOICES, ("choices",)),
}
"""{kind: the public keys that it needs in addition}"""
QUESTION_NAME = re.compile(r"[a-z][a-z0-9_]*")

QuestionKey = str | tuple[str, ...] | None


def draws_in(table: Table) -> dict[str, str | tuple[float, ...]]:
    draw = table.value("draw", Any, {}, DRAW)
    return {name: tuple(values) if isinstance(values, list) else values for name, values in draw.items()}


DRAW = (
    lambda value: isinstance(value, dict) and all(map(is_draw, value.values())),
    'a table such as {n = "4..9", k = [10, 20], m = "n * k"}',
)


def is_draw(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and bool(value) and all(map(is_number, value)))


def key_in(table: Table) -> QuestionKey:
    key: QuestionKey = table.value("key", tuple[str, ...] if isinstance(table.value("key", Any), list) else str)
    return key


def reasons_in(table: Table) -> dict[str, str]:
    reasons = table.table("why")
    return {answer: text_in_one_line(answer)(reasons) for answer in reasons}


def text_in_one_line(key: str) -> Callable[[Table], str]:
    return lambda table: " ".join(table.value(key, str, "").split())


@dataclass(frozen=True)
class Question:
    """What a student may see of a question.

    Attributes:
        text: with `{name}` where a drawn value belongs.
        figure: a file in the lesson's folder, or "".
        draw: {name: "2..9" (whole numbers), a list of values, or a formula of the names before it}.
        where: a formula of the drawn values that must hold, or "".
        choices: {id: text}, in alphabetical order of the ids.
        variables: of a formula: {name: "0.1..0.9", or "vector"}.
        given: of a line of code: {name: its shape, such as "n, d"; "n < k" for n whole numbers below k}.
    """

    name: str
    kind: Kind = "text"
    text: str = setting("", read=text_in_one_line("text"))
    points: float = setting(1, check=ABOVE_ZERO)
    figure: str = ""
    draw: Mapping[str, str | tuple[float, ...]] = field(default_factory=dict, metadata={"read": draws_in})
    where: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)

    @property
    def row(self) -> str:
        """The name of its row in results.json and in an assignment."""
        return QUESTION_PREFIX + self.name


@dataclass(frozen=True)
class AnswerKey:
    """The secret of a question.

    Attributes:
        key: the right answer as a student would give it, a number and a shape as formulas of the drawn values. A list
            for several choices, and for an order. None for a short text.
        tolerance: of a number, absolute; None for 1e-9 of the number.
        why: {a wrong answer: why it is tempting}; of several choices {a wrong choice: why it is tempting}.
        otherwise: the explanation of every other wrong answer.
        model: a model answer in words, for students after the deadline.
        rubric: of a short text: what earns points, line by line.
    """

    key: QuestionKey = setting(None, read=key_in)
    tolerance: float | None = setting(None, check=FROM_ZERO)
    why: Mapping[str, str] = field(default_factory=dict, metadata={"read": reasons_in})
    otherwise: str = setting("", read=text_in_one_line("otherwise"))
    model: str = setting("", read=text_in_one_line("model"))
    rubric: tuple[str, ...] = ()


def is_question(row: str) -> bool:
    """Whether a row of a report is an answer to a question."""
    return row.startswith(QUESTION_PREFIX)


def questions_of(lesson: Lesson) -> Mapping[str, Question]:
    """{name: question} of a lesson, in the order of its file; empty without one. Raises LessonError."""
    path = lesson.exercise / QUESTIONS_FILE
    return read_questions(path, path.stat().st_mtime_ns) if path.is_file() else {}


def answer_keys_of(lesson: Lesson) -> Mapping[str, AnswerKey]:
    """{name of a question: its key}; empty in a student's kit. Raises LessonError."""
    path, public = lesson.solution / QUESTIONS_FILE, lesson.exercise / QUESTIONS_FILE
    if not path.is_file():
        return {}
    require_named(path)  # a key may be a line of code
    questions = questions_of(lesson)
    keys = read_answer_keys(path, path.stat().st_mtime_ns)
    for name in (*keys, *questions):
        if name not in questions or name not in keys:
            here, there = (path, public) if name in keys else (public, path)
            meant = close_name(name, questions if name in keys else keys)
            hint = f"did you mean {meant!r}?" if meant else "every question needs a table of its name in both files."
            raise LessonError(f"{here}: [{name}] is not in {there}; {hint}")
        if (keys[name].key is None) != (questions[name].kind == "text"):
            raise LessonError(f"{path}: [{name}] needs a key, unless its kind is text, which needs a rubric.")
    return keys


@lru_cache(64)
def read_questions(path: Path, changed: int) -> dict[str, Question]:
    """`changed` is the file's time of change: the cache keeps what was read until then."""
    return {name: question_in(name, table) for name, table in read_toml(path).tables().items()}


def question_in(name: str, table: Table) -> Question:
    if not QUESTION_NAME.fullmatch(name):
        raise refusal(table, name, "the name has other characters than a-z, 0-9 and _")
    found = table.record(Question, name=name)
    if "kind" not in table or not found.text:
        raise refusal(table, name, f"it needs a kind ({', '.join(QUESTION_KINDS)}) and a text")
    for key in ("choices", "variables", "given"):
        if (key in table) != (key in OF_KIND.get(found.kind, ())):
            what = "is not for" if key in table else "is missing: it belongs to"
            raise refusal(table, name, f"{key} {what} {found.kind}")
    ids = list(found.choices)
    if ids and (len(ids) < 2 or ids != sorted(ids) or min(map(len, ids)) < 2):
        reason = "its choices are two or more, with ids of two letters or more, in alphabetical order"
        raise refusal(table, name, reason)
    return found


@lru_cache(64)
def read_answer_keys(path: Path, changed: int) -> dict[str, AnswerKey]:
    """The same for the keys."""
    return {name: table.record(AnswerKey) for name, table in read_toml(path).tables().items()}


def refusal(table: Table, name: str, reason: str) -> LessonError:
    return LessonError(f"{table.path}: [{name}]: {reason}.")


def find_question(questions: Mapping[str, Question], wanted: str, place: str) -> Question:
    """The question of that name, with or without QUESTION_PREFIX. Raises LessonError with a near name."""
    name = wanted.removeprefix(QUESTION_PREFIX)
    if name in questions:
        return questions[name]
    raise LessonError(no_question(questions, wanted, place))


def no_question(questions: Mapping[str, Question], wanted: str, place: str) -> str:
    meant = close_name(wanted, questions)
    hint = f"did you mean {meant!r}?" if meant else f"there are: {', '.join(questions) or 'none'}."
    return f"{place} has no question {wanted!r}; {hint}"
