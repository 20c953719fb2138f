"""Reads and judges answers: one row of KINDS for each kind of question.

A text that cannot be meant is refused in one sentence that names the form. The comparison that decides about the key
also decides which wrong answer it is, and so why it is tempting.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from grader.questions.answers_file import plain_text
from grader.questions.code_lines import RunLine, line_inputs, results_agree, trusted_results
from grader.questions.formula import Formula, FormulaError, read_formula
from grader.questions.question import RANGE, WITH_CHOICES, AnswerKey, Kind, Posed, hashed
from grader.results.wording import shortened
from grader.source.similar_names import close_name

NUMBER_RTOL = 1e-9
POINTS, MAX_POINTS = 16, 200
"""Random points at which two formulas are compared; and that are drawn, as the course's may have no value there."""
FORMULA_VECTOR_LENGTH = 5
MAX_TEXT_ANSWER_CHARACTERS = 5_000
MAX_ANSWER_CHARACTERS = 1_000
"""Of an answer that is not a text, in all entries of a list together."""
MAX_ANSWER_CHARACTERS_SHOWN = 200
NOT_ALL_RIGHT = (
    "Your choices are not exactly the true ones. Which of them are wrong, and why, is in the model answers that your "
    "course gives out after the due date."
)
"""Of several choices: a sentence about one of them would give the key to the next attempt."""
WAITS = "A person reads this answer and gives the points."


class AnswerError(ValueError):
    """An answer of another form than its question needs. The text is a sentence for the student."""


class AnswerKind(NamedTuple):
    """A kind of question.

    Attributes:
        expected: the form of an answer, in words.
        read: (question, a text or a list, values of its names) -> a value. Raises AnswerError and FormulaError.
        is_same: (question, a student's answer, the course's, tolerance of a number) -> whether they are the same.
        takes_list: whether an answer may be a list.
    """

    expected: str
    read: Callable[[Posed, Any, Mapping[str, float]], Any]
    is_same: Callable[[Posed, Any, Any, float | None], bool] = lambda posed, answer, right, tolerance: answer == right
    takes_list: bool = False


@dataclass(frozen=True)
class Judged:
    """The verdict on an answer. `share` are the points from 0 to 1; the message never contains the key."""

    status: Literal["passed", "failed", "error", "todo"]
    share: float
    message: str | None = None


def judge(posed: Posed, secret: AnswerKey, raw: object, run_line: RunLine | None = None) -> Judged:
    """Judge an answer. `run_line` runs a student's line of code. Raises LessonError for an invalid key."""
    try:
        answer = read_answer(posed, raw)
    except AnswerError as error:
        return Judged("error", 0, str(error))
    kind = posed.question.kind
    if kind == "text":
        return Judged("todo", 0, WAITS)
    if kind == "code":
        assert run_line is not None
        answer = run_line(answer, line_inputs(posed.question))
        if isinstance(answer, str):
            return Judged("error", 0, answer)

    def is_same(other: object) -> bool:
        return KINDS[kind].is_same(posed, answer, course_answer(posed, other), secret.tolerance)

    if is_same(secret.key):
        return Judged("passed", 1)
    if kind == "multiple":
        return Judged("failed", 0, NOT_ALL_RIGHT)
    named = (why for wrong, why in secret.why.items() if is_same(wrong))
    return Judged("failed", 0, posed.fill_in(next(named, secret.otherwise)))


def read_answer(posed: Posed, raw: object) -> Any:
    """The answer as a value of its kind: a float, a tuple of sizes, ids, a Formula or a text. Raises AnswerError."""
    name = posed.question.kind
    kind, shown = KINDS[name], shown_answer(raw)
    if isinstance(raw, bool) or not isinstance(raw, (str, int, float, list)):
        raise AnswerError(f"{shown} is not an answer; expected {kind.expected}.")
    if isinstance(raw, list) and not kind.takes_list:
        raise AnswerError(f"A list is not an answer here; expected {kind.expected}.")
    entries = [plain_text(each).strip() for each in (raw if isinstance(raw, list) else [raw])]
    most = MAX_TEXT_ANSWER_CHARACTERS if name == "text" else MAX_ANSWER_CHARACTERS
    if len(entries) + sum(map(len, entries)) > most:
        raise AnswerError(f"The answer is too long; expected {kind.expected} of at most {most:,} characters.")
    if not isinstance(raw, list) and not entries[0]:
        raise AnswerError(f"There is no answer; expected {kind.expected}.")
    try:
        return kind.read(posed, entries if isinstance(raw, list) else entries[0], {})
    except FormulaError as error:
        is_formula = name == "formula"
        raise AnswerError(str(error) if is_formula else f"{shown} is not a {name}; expected {kind.expected}.") from None


def course_answer(posed: Posed, text: Any) -> Any:
    """An answer that the course writes: of a formula its value, of a line its results. Raises LessonError."""
    if posed.question.kind == "code":
        return trusted_results(text, line_inputs(posed.question))
    return KINDS[posed.question.kind].read(posed, list(text) if isinstance(text, tuple) else text, posed.values)


def answer_trouble(posed: Posed, raw: object) -> str | None:
    """Why an answer cannot be read, in a sentence; None where it can."""
    try:
        read_answer(posed, raw)
    except AnswerError as error:
        return str(error)
    return None


def answer_text(posed: Posed, raw: object) -> str:
    """An answer as a report shows it: the text of the choices, else what the student wrote."""
    kind: Kind | None = posed.question.kind
    try:
        answer = read_answer(posed, raw)
    except AnswerError:
        answer, kind = None, None  # as it is
    if kind == "order":
        return " → ".join(posed.choices[each] for each in answer)
    if kind in WITH_CHOICES:
        chosen = {answer} if kind == "choice" else answer
        return "; ".join(text for each, text in posed.choices.items() if each in chosen)
    return str(answer) if kind == "text" else " ".join(plain_text(raw).split())[:MAX_ANSWER_CHARACTERS_SHOWN]


def shown_answer(raw: object) -> str:
    """An answer as messages quote it, in one line."""
    return "`" + shortened(plain_text(raw), MAX_ANSWER_CHARACTERS_SHOWN).replace("`", "'") + "`"


def read_shape(posed: Posed, raw: str | list[str], values: Mapping[str, float]) -> tuple[int, ...]:
    """The sizes in an answer such as `(32, 27)`, `32 × n` or `[32, 27]`, one per axis."""
    text = ", ".join(raw) if isinstance(raw, list) else raw.removeprefix("torch.Size").strip().strip("()[] ")
    parts = [part for part in re.split(r"[,×]|(?<=\d)\s*x\s*(?=\d)", text) if part.strip()]
    sizes = [read_formula(part, values).number(values) for part in parts]
    if any(size < 0 or size != int(size) for size in sizes):
        raise FormulaError("a size that is not a whole number")
    return tuple(map(int, sizes))


def choice_ids(posed: Posed, raw: str | list[str]) -> list[str]:
    """The ids of several choices: "a, c", "a c", "ac" or a list."""
    if isinstance(raw, str):
        parts = re.split(r"[,;\s]+", raw.strip(", ;"))
        is_joined = len(parts) == 1 and parts[0] not in posed.choices and set(parts[0].lower()) <= posed.letters.keys()
        raw = list(parts[0]) if is_joined else parts
    return [choice_id(posed, part) for part in raw]


def choice_id(posed: Posed, text: str) -> str:
    """The id of the choice that a letter or an id names."""
    plain = text.strip().strip("().").strip()
    found = plain if plain in posed.choices else posed.letters.get(plain.lower())
    if found is None:
        meant = close_name(plain, posed.choices) if len(plain) > 1 else None
        hint = f"; did you mean {meant!r}?" if meant else f"; expected one of {', '.join(posed.letters)}."
        raise AnswerError(f"There is no choice {shown_answer(plain)}{hint}")
    return found


def read_order(posed: Posed, raw: str | list[str], values: Mapping[str, float]) -> tuple[str, ...]:
    found = choice_ids(posed, raw)
    if sorted(found) != sorted(posed.choices):
        given = f"{len(found)} of them" if len(set(found)) == len(found) else "one of them twice"
        raise AnswerError(f"An order needs each of the {len(posed.choices)} letters once; you gave {given}.")
    return tuple(found)


def same_formula(posed: Posed, answer: Formula, expected: Formula, tolerance: float | None) -> bool:
    """Whether both have the same values at POINTS random points where the course's formula has one."""
    compared = 0
    for point in range(MAX_POINTS):
        random, values = np.random.default_rng(hashed(f"{posed.question.name}/{point}")), dict[str, Any]()
        for name, spec in posed.question.variables.items():
            if bounds := RANGE.fullmatch(spec):
                values[name] = random.uniform(float(bounds[1]), float(bounds[2]))
            else:
                values[name] = random.standard_normal(FORMULA_VECTOR_LENGTH)
        try:
            right = expected.value(values)
        except FormulaError:
            continue
        try:
            found = answer.value(values)
        except FormulaError:
            return False
        atol = NUMBER_RTOL * np.max(np.abs(right))
        if np.shape(found) != np.shape(right) or not np.allclose(found, right, NUMBER_RTOL, atol):
            return False
        compared += 1
        if compared == POINTS:
            return True
    return False


def read_code_line(posed: Posed, text: str, values: Mapping[str, float]) -> str:
    """One expression of Python. What it does is left to the sandbox; this only finds slips."""
    if "\n" in text:
        raise AnswerError("The answer is not a single line.")
    try:
        tree = ast.parse(text, mode="eval")
        line = ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise AnswerError(
            f"{shown_answer(text)} is not a Python expression; leave out `name =` and `return`."
        ) from None
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    given = (*posed.question.given, "torch", "F")
    known = {*given, *dir(builtins), *(each.id for each in names if isinstance(each.ctx, ast.Store))}
    if unknown := [each.id for each in names if each.id not in known]:
        expected = f"expected only {', '.join(given)} and plain Python"
        raise AnswerError(f"{shown_answer(text)} uses `{unknown[0]}`; {expected}.")
    return line


KINDS: dict[Kind, AnswerKind] = {
    "number": AnswerKind(
        "a number such as 0.25 or 1/32, with a point and without units",
        lambda posed, text, values: read_formula(text, values).number(values),
        lambda posed, answer, right, tolerance: (
            abs(answer - right) <= (abs(right) * NUMBER_RTOL if tolerance is None else tolerance * (1 + NUMBER_RTOL))
        ),
    ),
    "shape": AnswerKind("a shape such as (32, 1)", read_shape, takes_list=True),
    "choice": AnswerKind("one letter", lambda posed, text, values: choice_id(posed, text)),
    "multiple": AnswerKind(
        "the letters of all that are true, such as a, c",
        lambda posed, raw, values: frozenset(choice_ids(posed, raw)),
        takes_list=True,
    ),
    "order": AnswerKind("all letters in order, such as b, a, c", read_order, takes_list=True),
    "formula": AnswerKind(
        "a formula such as -1/n",
        lambda posed, text, values: read_formula(text, posed.question.variables),
        same_formula,
    ),
    "code": AnswerKind(
        "one line of Python, without `name =`",
        read_code_line,
        lambda posed, results, right, tolerance: results_agree(results, right),
    ),
    "text": AnswerKind("a text", lambda posed, text, values: text),  # a person reads it
}
