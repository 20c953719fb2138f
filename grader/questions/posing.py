"""A question as one student gets it: values and the order of choices come from a seed, the same everywhere."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import ascii_lowercase

from grader.errors import LessonError
from grader.lesson.lesson import Lesson
from grader.questions.formula import FormulaError, read_formula
from grader.questions.question import Question

RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)(?: step (\d+(?:\.\d+)?))?")
PLACE = re.compile(r"\{(\w+)\}")
MAX_DRAWS = 1000


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
    numbers = hashed_numbers(f"{seed}/{question.name}")
    for _ in range(MAX_DRAWS):
        values = drawn_values(question, numbers)
        if not question.where or formula_value(question, question.where, values):
            break
    else:
        raise LessonError(f"Question {question.name}: no draw in {MAX_DRAWS} meets `{question.where}`.")
    order = sorted(
        question.choices, key=lambda each: hashlib.sha256(f"{seed}/{question.name}/{each}".encode()).digest()
    )
    choices = {each: fill(question.choices[each], values, question.name) for each in order}
    return Posed(question, values, fill(question.text, values, question.name), choices)


def hashed_numbers(seed: str) -> Iterator[int]:
    """Large whole numbers that depend on the seed alone, the same with every version of Python."""
    count = 0
    while True:
        yield int.from_bytes(hashlib.sha256(f"{seed}/{count}".encode()).digest()[:8])
        count += 1


def drawn_values(question: Question, numbers: Iterator[int]) -> dict[str, float]:
    values: dict[str, float] = {}
    for name, draw in question.draw.items():
        if isinstance(draw, tuple):
            values[name] = draw[next(numbers) % len(draw)]
        elif found := RANGE.fullmatch(draw):
            low, high, step = (float(part) if part else 1.0 for part in found.groups())
            count = int((high - low) / step + 1.5)
            values[name] = round(low + step * (next(numbers) % max(count, 1)), 9)
        else:
            values[name] = formula_value(question, draw, values)
    return values


def formula_value(question: Question, text: str, values: Mapping[str, float]) -> float:
    """Evaluate a formula of the course. Raises LessonError."""
    try:
        return read_formula(text, values).number(values)
    except FormulaError as error:
        raise LessonError(f"Question {question.name}: {error}") from error


def fill(text: str, values: Mapping[str, float], name: str) -> str:
    def shown(found: re.Match[str]) -> str:
        if found[1] not in values:
            raise LessonError(f"Question {name}: its text has {{{found[1]}}}, which is not drawn.")
        return number_text(values[found[1]])

    return PLACE.sub(shown, text)


def number_text(value: float) -> str:
    return f"{value:.10g}".replace("-", "−") if value < 0 else f"{value:.10g}"
