"""A lesson's questions (exercises/NN_name/questions.toml) and their keys (solutions/NN_name/questions.toml).

A student gets a question with values, and an order of choices, that come from a seed and are the same everywhere.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from string import ascii_lowercase
from typing import Literal, get_args

from grader.errors import LessonError
from grader.lesson.course_modules import require_named
from grader.lesson.lesson import Lesson
from grader.lesson.toml_tables import ABOVE_ZERO, FROM_ZERO, NOT_IN_THE_FILE, read_toml, setting
from grader.source.similar_names import close_name

QUESTIONS_FILE = "questions.toml"
QUESTION_PREFIX = "q:"
"""Of the names of rows that are answers to questions: `q:zeros`."""
DEFENCE_ROW = "q:defence"
"""The row of a lesson with the result of a defence (`grade defence`)."""

Kind = Literal["number", "shape", "choice", "multiple", "order", "formula", "code", "text"]
QUESTION_KINDS: tuple[Kind, ...] = get_args(Kind)
WITH_CHOICES = ("choice", "multiple", "order")
NEEDED_BY = {"choices": WITH_CHOICES, "variables": ("formula",), "given": ("code",)}
"""{a public key: the kinds that need it, and no others have}"""
RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)")
PLACE = re.compile(r"\{(\w+)\}")
MAX_DRAWS = 1000
QUESTION_NAME = re.compile(r"[a-z][a-z0-9_]*")

QuestionKey = str | tuple[str, ...] | None


def are_question_draws(draws: Mapping[str, str | list[float]]) -> bool:
    """Whether no list is empty, or has a number that is not finite."""
    return all(draw and all(map(math.isfinite, draw)) for draw in draws.values() if isinstance(draw, list))


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

    kind: Kind
    text: str
    points: float = setting(1, check=ABOVE_ZERO)
    figure: str = ""
    draw: Mapping[str, str | list[float]] = field(
        default_factory=dict, metadata={"check": (are_question_draws, 'ranges "4..9", lists of numbers, and formulas')}
    )
    where: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    name: str = field(default="", metadata=NOT_IN_THE_FILE)

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

    key: QuestionKey = None
    tolerance: float | None = setting(None, check=FROM_ZERO)
    why: Mapping[str, str] = field(default_factory=dict)
    otherwise: str = ""
    model: str = ""
    rubric: tuple[str, ...] = ()


def is_question(row: str) -> bool:
    """Whether a row of a report is an answer to a question."""
    return row.startswith(QUESTION_PREFIX)


def questions_of(lesson: Lesson) -> Mapping[str, Question]:
    """{name: question} of a lesson, in the order of its file; empty without one. Raises LessonError."""
    path = lesson.exercise / QUESTIONS_FILE
    return read_questions(path, path.stat().st_mtime_ns) if path.is_file() else {}


@lru_cache(64)
def read_questions(path: Path, changed: int) -> dict[str, Question]:
    """The questions of a file. `changed` is the file's time of change: the cache keeps what was read until then."""
    found: dict[str, Question] = read_toml(path, dict[str, Question])
    for name, question in found.items():
        if reason := question_fault(name, question):
            raise LessonError(f"{path}: [{name}]: {reason}.")
    return {name: replace(question, name=name) for name, question in found.items()}


def question_fault(name: str, question: Question) -> str:
    """Why a question cannot be asked, in words; "" if it can."""
    if not QUESTION_NAME.fullmatch(name):
        return "the name has other characters than a-z, 0-9 and _"
    for key, kinds in NEEDED_BY.items():
        if bool(getattr(question, key)) != (question.kind in kinds):
            what = "is missing: it belongs to" if question.kind in kinds else "is not for"
            return f"{key} {what} {question.kind}"
    ids = list(question.choices)
    if ids and (len(ids) < 2 or ids != sorted(ids) or min(map(len, ids)) < 2):
        return "its choices are two or more, with ids of two letters or more, in alphabetical order"
    return ""


def answer_keys_of(lesson: Lesson) -> Mapping[str, AnswerKey]:
    """{name of a question: its key}; empty in a student's kit. Raises LessonError."""
    path, public = lesson.solution / QUESTIONS_FILE, lesson.exercise / QUESTIONS_FILE
    if not path.is_file():
        return {}
    require_named(path)  # a key may be a line of code
    questions, keys = questions_of(lesson), read_answer_keys(path, path.stat().st_mtime_ns)
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
def read_answer_keys(path: Path, changed: int) -> dict[str, AnswerKey]:
    """The keys of a file; `changed` as above."""
    found: dict[str, AnswerKey] = read_toml(path, dict[str, AnswerKey])
    return found


def no_question(questions: Mapping[str, Question], wanted: str, place: str) -> str:
    """A sentence that a place has no question of this name, with a near name."""
    meant = close_name(wanted, questions)
    hint = f"did you mean {meant!r}?" if meant else f"there are: {', '.join(questions) or 'none'}."
    return f"{place} has no question {wanted!r}; {hint}"


@dataclass(frozen=True)
class Posed:
    """A question with its drawn values.

    Attributes:
        choices: {id: text} in the order in which this student sees them; the first is called a, the next b.
    """

    question: Question
    values: Mapping[str, float]
    text: str
    choices: Mapping[str, str]

    @property
    def letters(self) -> dict[str, str]:
        """{a letter: the id of the choice}"""
        return dict(zip(ascii_lowercase, self.choices, strict=False))

    def fill_in(self, text: str) -> str:
        """A text of the course with the drawn values in it. Raises LessonError for a name that is not drawn."""
        return fill(text, self.values, self.question.name)


def student_key(student: str) -> str:
    """What two spellings of one student's name have in common."""
    plain = unicodedata.normalize("NFKC", student).casefold()
    return "".join(character for character in plain if character.isalnum())


def seed_of(lesson: Lesson, student: str) -> str:
    """The seed of a student's questions in a lesson, by the course's seed and the student's key.

    A name without letters and digits is its own key, so that two such names have different seeds.
    """
    return f"{lesson.settings.question_seed}/{lesson.name}/{student_key(student) or student}"


def pose_question(question: Question, seed: str) -> Posed:
    """Draw a question's values and shuffle its choices. Raises LessonError where they cannot be drawn."""
    from grader.questions.formula import FormulaError, read_formula  # numpy comes with it

    numbers = (hashed(f"{seed}/{question.name}/{count}") for count in itertools.count())
    for _ in range(MAX_DRAWS):
        values = dict[str, float]()
        try:
            for name, draw in question.draw.items():
                if isinstance(draw, list):
                    values[name] = draw[next(numbers) % len(draw)]
                elif found := RANGE.fullmatch(draw):
                    low, high = map(float, found.groups())
                    values[name] = low + next(numbers) % max(int(high - low + 1.5), 1)
                else:
                    values[name] = read_formula(draw, values).number(values)
            if not question.where or read_formula(question.where, values).number(values):
                break
        except FormulaError as error:
            raise LessonError(f"Question {question.name}: {error}") from error
    else:
        raise LessonError(f"Question {question.name}: no draw in {MAX_DRAWS} meets `{question.where}`.")
    order = sorted(question.choices, key=lambda each: hashed(f"{seed}/{question.name}/{each}"))
    choices = {each: fill(question.choices[each], values, question.name) for each in order}
    return Posed(question, values, fill(question.text, values, question.name), choices)


def hashed(text: str) -> int:
    """A large whole number that depends on the text alone, the same with every version of Python."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def fill(text: str, values: Mapping[str, float], name: str) -> str:
    """A text of the question `name` with the values in it, in one line."""
    shown = {each: ("−" if value < 0 else "") + f"{abs(value):.10g}" for each, value in values.items()}
    try:
        return PLACE.sub(lambda found: shown[found[1]], " ".join(text.split()))
    except KeyError as error:
        raise LessonError(f"Question {name}: its text has {{{error.args[0]}}}, which is not drawn.") from None
