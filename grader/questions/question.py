"""A lesson's questions (exercises/NN_name/questions.toml) and their keys (solutions/NN_name/questions.toml)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from grader.errors import LessonError
from grader.lesson.course_modules import require_named
from grader.lesson.lesson import Lesson
from grader.lesson.toml_tables import Table, is_number, read_toml
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
PUBLIC_KEYS = ("kind", "text", "points", "figure", "draw", "where", "choices", "variables", "given")
KEY_KEYS = ("key", "tolerance", "why", "otherwise", "model", "rubric")
QUESTION_NAME = re.compile(r"[a-z][a-z0-9_]*")

QuestionKey = str | tuple[str, ...] | None


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
    kind: Kind
    text: str
    points: float = 1
    figure: str = ""
    draw: Mapping[str, str | tuple[float, ...]] = field(default_factory=dict)
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

    key: QuestionKey
    tolerance: float | None
    why: Mapping[str, str]
    otherwise: str
    model: str
    rubric: tuple[str, ...]


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
    file = read_toml(path, None)
    return {name: question_in(name, table) for name, table in file.tables(PUBLIC_KEYS).items()}


def question_in(name: str, table: Table) -> Question:
    if not QUESTION_NAME.fullmatch(name):
        raise refusal(table, name, "the name has other characters than a-z, 0-9 and _")
    kind: Kind = table.choice("kind", QUESTION_KINDS)
    text = " ".join(table.text("text").split())
    if kind is None or not text:
        raise refusal(table, name, f"it needs a kind ({', '.join(QUESTION_KINDS)}) and a text")
    for key in ("choices", "variables", "given"):
        if (key in table) != (key in OF_KIND.get(kind, ())):
            raise refusal(table, name, f"{key} {'is not for' if key in table else 'is missing: it belongs to'} {kind}")
    choices = table.table("choices").all_texts()
    if choices and (len(choices) < 2 or list(choices) != sorted(choices) or min(map(len, choices)) < 2):
        raise refusal(
            table, name, "its choices are two or more, with ids of two letters or more, in alphabetical order"
        )
    draw = table.value("draw", {}, lambda value: isinstance(value, dict) and all(map(is_draw, value.values())), DRAW)
    points = table.value("points", 1, lambda value: is_number(value) and value > 0, "a number above 0")
    return Question(
        name,
        kind,
        text,
        points,
        table.text("figure"),
        {each: tuple(values) if isinstance(values, list) else values for each, values in draw.items()},
        table.text("where"),
        choices,
        table.table("variables").all_texts(),
        table.table("given").all_texts(),
    )


DRAW = 'a table such as {n = "4..9", k = [10, 20], m = "n * k"}'


def is_draw(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and bool(value) and all(map(is_number, value)))


@lru_cache(64)
def read_answer_keys(path: Path, changed: int) -> dict[str, AnswerKey]:
    """The same for the keys."""
    file = read_toml(path, None)
    return {name: answer_key_in(table) for name, table in file.tables(KEY_KEYS).items()}


def answer_key_in(table: Table) -> AnswerKey:
    key: Any = table.value("key", None, is_key, "a text, or a list of ids")
    return AnswerKey(
        tuple(key) if isinstance(key, list) else key,
        table.value("tolerance", None, lambda value: is_number(value) and value >= 0, "a number from 0 up"),
        {answer: " ".join(why.split()) for answer, why in table.table("why").all_texts().items()},
        " ".join(table.text("otherwise").split()),
        " ".join(table.text("model").split()),
        table.texts("rubric"),
    )


def is_key(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(each, str) for each in value))


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
