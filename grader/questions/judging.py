"""Is an answer right, and if not, why is it tempting? The same comparison decides about the key and known mistakes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from grader.questions.code_lines import Results, RunLine, line_inputs, results_agree, trusted_results
from grader.questions.formula import Formula, FormulaError, read_formula
from grader.questions.posing import RANGE, Posed, pose_question
from grader.questions.question import AnswerKey, Question
from grader.questions.reading import AnswerError, read_answer, read_number, read_shape

NUMBER_RTOL = 1e-9
POINTS = 16
"""Random points at which two formulas are compared."""
MAX_POINTS = 200
DRAWN_FOR = 20
"""Students for whom a question is drawn, to see whether they have different right answers."""
FORMULA_VECTOR_LENGTH = 5
"""Elements of a formula's vectors."""
NOT_ALL_RIGHT = (
    "Your choices are not exactly the true ones. Which of them are wrong, and why, is in the model answers that your "
    "course gives out after the due date."
)
"""Of several choices: a sentence about one of them would give the key to the next attempt."""
WAITS = "A person reads this answer and gives the points."

QuestionStatus = Literal["passed", "failed", "error", "todo"]


@dataclass(frozen=True)
class Judged:
    """The verdict on an answer. `share` are the points from 0 to 1; the message never contains the key."""

    status: QuestionStatus
    share: float
    message: str | None = None


def judge(posed: Posed, secret: AnswerKey, raw: object, run_line: RunLine) -> Judged:
    """Judge an answer. `run_line` runs a student's line of code. Raises LessonError for an invalid key."""
    try:
        answer = read_answer(posed, raw)
    except AnswerError as error:
        return Judged("error", 0, str(error))
    kind = posed.question.kind
    if kind == "text":
        return Judged("todo", 0, WAITS)
    results: Results = []
    if kind == "code":
        results = run_line(answer, line_inputs(posed.question))
        if isinstance(results, str):
            return Judged("error", 0, results)
    assert secret.key is not None
    if is_same(posed, answer, secret.key, secret.tolerance, results):
        return Judged("passed", 1)
    return Judged("failed", 0, posed.fill_in(explanation(posed, secret, answer, results)))


def is_drawn(question: Question, secret: AnswerKey) -> bool:
    """Whether the right answer is another one for other students: False where a drawn question's key is always 0.

    Raises LessonError for a question that cannot be drawn.
    """
    if question.kind not in ("number", "shape") or not question.draw:
        return False
    read = read_number if question.kind == "number" else read_shape
    posed = (pose_question(question, f"student {number}") for number in range(DRAWN_FOR))
    return len({read(each, str(secret.key), each.values) for each in posed}) > 1


def explanation(posed: Posed, secret: AnswerKey, answer: Any, results: Results) -> str:
    """Why a wrong answer is tempting. Of several choices it says nothing about any single one."""
    if posed.question.kind == "multiple":
        return NOT_ALL_RIGHT
    named = (why for wrong, why in secret.why.items() if is_same(posed, answer, wrong, secret.tolerance, results))
    return next(named, secret.otherwise)


def is_same(
    posed: Posed, answer: Any, text: str | tuple[str, ...], tolerance: float | None = None, results: Results = ""
) -> bool:
    """Whether a student's answer is the same as one that the course writes, such as the key or a known mistake."""
    return IS_RIGHT_OF_KIND[posed.question.kind](posed, answer, text, tolerance, results)


def same_number(posed: Posed, answer: float, text: Any, tolerance: float | None, results: Results) -> bool:
    expected = read_number(posed, text, posed.values)
    return abs(answer - expected) <= (
        NUMBER_RTOL * abs(expected) if tolerance is None else tolerance * (1 + NUMBER_RTOL)
    )


def same_shape(posed: Posed, answer: Any, text: Any, tolerance: float | None, results: Results) -> bool:
    return bool(answer == read_shape(posed, text, posed.values))


def same_ids(posed: Posed, answer: Any, text: Any, tolerance: float | None, results: Results) -> bool:
    return bool(answer == read_answer(posed, list(text) if isinstance(text, tuple) else text))


def same_formula(posed: Posed, answer: Formula, text: Any, tolerance: float | None, results: Results) -> bool:
    """Whether both have the same values at POINTS random points where the course's formula has one."""
    expected, compared = read_formula(text, posed.question.variables), 0
    for point in range(MAX_POINTS):
        values = random_point(posed.question, point)
        try:
            right = expected.value(values)
        except FormulaError:
            continue
        try:
            found = answer.value(values)
        except FormulaError:
            return False
        if np.shape(found) != np.shape(right) or not np.allclose(
            found, right, NUMBER_RTOL, NUMBER_RTOL * np.max(np.abs(right))
        ):
            return False
        compared += 1
        if compared == POINTS:
            return True
    return False


def random_point(question: Question, number: int) -> dict[str, Any]:
    """Values of a formula's variables, drawn for this question."""
    seed = hashlib.sha256(f"{question.name}/{number}".encode()).digest()[:8]
    random = np.random.default_rng(int.from_bytes(seed))
    values: dict[str, Any] = {}
    for name, spec in question.variables.items():
        bounds = RANGE.fullmatch(spec)
        values[name] = (
            random.uniform(float(bounds[1]), float(bounds[2]))
            if bounds
            else random.standard_normal(FORMULA_VECTOR_LENGTH)
        )
    return values


def same_line(posed: Posed, answer: str, text: Any, tolerance: float | None, results: Results) -> bool:
    expected = trusted_results(text, line_inputs(posed.question))
    return not isinstance(expected, str) and not isinstance(results, str) and results_agree(results, expected)


IS_RIGHT_OF_KIND: Mapping[str, Callable[[Posed, Any, Any, float | None, Results], bool]] = {
    "number": same_number,
    "shape": same_shape,
    "choice": same_ids,
    "multiple": same_ids,
    "order": same_ids,
    "formula": same_formula,
    "code": same_line,
}
