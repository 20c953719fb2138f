"""The kinds of questions, one row of KINDS each: how an answer is read, when it is right, and how a report shows it.

A text that cannot be meant is refused in one sentence that names the form.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from grader.questions.answers_file import plain_text
from grader.questions.code_lines import Results, line_inputs, results_agree, trusted_results
from grader.questions.formula import Formula, FormulaError, read_formula
from grader.questions.posing import RANGE, Posed
from grader.questions.question import AnswerKey, Kind, Question
from grader.source.similar_names import close_name

NUMBER_RTOL = 1e-9
POINTS = 16
"""Random points at which two formulas are compared."""
MAX_POINTS = 200
FORMULA_VECTOR_LENGTH = 5
"""Elements of a formula's vectors."""
MAX_TEXT_ANSWER_CHARACTERS = 5_000
MAX_ANSWER_CHARACTERS = 1_000
"""Of an answer that is not a text, and of all entries of a list together."""
MAX_ANSWER_ENTRIES = 100
MAX_LINE = 300
MAX_ANSWER_CHARACTERS_SHOWN = 200
MAX_AXES = 8
CODE_LINE_MODULES = ("torch", "F")
"""What a line of code may use, apart from the values that it is given."""
CODE_LINE_BUILTINS = (
    *("range", "len", "int", "float", "sum", "min", "max", "abs", "slice", "list", "tuple"),
    *("True", "False", "None"),
)
BANNED_NODES = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)

Raw = str | int | float | list[Any] | bool


class AnswerError(ValueError):
    """An answer of another form than its question needs. The text is a sentence for the student."""


class AnswerKind(NamedTuple):
    """A kind of question.

    Attributes:
        expected: the form of an answer, in words.
        read: (question, what the student wrote) -> the answer as a value. Raises AnswerError.
        is_same: (question, the student's answer, an answer as the course writes it, the key, results of the student's
            line) -> whether the two answers are the same.
        shown: (question, answer) -> the answer as a report shows it; None for what the student wrote.
        computed: (an answer as the course writes it, drawn values) -> its value, for a kind whose key is a formula.
    """

    expected: str
    read: Callable[[Posed, Raw], Any]
    is_same: Callable[[Posed, Any, Any, AnswerKey, Results], bool]
    shown: Callable[[Posed, Any], str] | None = None
    computed: Callable[[Any, Mapping[str, float]], Any] | None = None


def read_answer(posed: Posed, raw: object) -> Any:
    """The answer as a value of its kind: a float, a tuple of sizes, ids, a Formula or a text. Raises AnswerError."""
    kind = KINDS[posed.question.kind]
    if isinstance(raw, bool) or not isinstance(raw, (str, int, float, list)):
        raise AnswerError(f"{shown_answer(raw)} is not an answer; expected {kind.expected}.")
    if is_too_long(raw, MAX_TEXT_ANSWER_CHARACTERS * 100 if posed.question.kind == "text" else MAX_ANSWER_CHARACTERS):
        raise AnswerError(f"The answer is too long; expected {kind.expected}.")
    return kind.read(posed, raw)


def answer_text(posed: Posed, raw: object) -> str:
    """An answer as a report shows it: the text of the choices, else what the student wrote."""
    shown = KINDS[posed.question.kind].shown
    try:
        if shown is not None:
            return shown(posed, read_answer(posed, raw))
    except AnswerError:
        pass
    return " ".join(plain_text(raw).split())[:MAX_ANSWER_CHARACTERS_SHOWN]


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


def is_too_long(raw: Raw, most: int) -> bool:
    """Whether an answer has more characters than `most`, or a list more entries than a question can need."""
    if isinstance(raw, list):
        return len(raw) > MAX_ANSWER_ENTRIES or sum(len(plain_text(each)) for each in raw) > most
    return len(plain_text(raw)) > most


def number_in(raw: Raw, values: Mapping[str, float] = {}) -> float:
    """A number, or a formula in the names of `values`, as a float. Raises AnswerError."""
    try:
        return read_formula(one_text(raw, "number"), values).number(values)
    except FormulaError as error:
        raise AnswerError(f"{shown_answer(raw)} is not a number; expected {KINDS['number'].expected}.") from error


def same_number(posed: Posed, answer: float, text: Any, key: AnswerKey, results: Results) -> bool:
    right, tolerance = number_in(text, posed.values), key.tolerance
    return abs(answer - right) <= (NUMBER_RTOL * abs(right) if tolerance is None else tolerance * (1 + NUMBER_RTOL))


def shape_in(raw: Raw, values: Mapping[str, float] = {}) -> tuple[int, ...]:
    """The sizes in an answer such as `(32, 27)`, `32 × n` or `[32, 27]`, one per axis. Raises AnswerError."""
    if isinstance(raw, list):
        raw = ", ".join(map(plain_text, raw))
    text = one_text(raw, "shape").strip().removeprefix("torch.Size").strip().strip("()[] ")
    parts = [part for part in re.split(r"[,×]|(?<=\d)\s*x\s*(?=\d)", text) if part.strip()]
    try:
        sizes = [read_formula(part, values).number(values) for part in parts]
    except FormulaError:
        sizes = [-1.0]
    if len(sizes) > MAX_AXES or any(size < 0 or size != int(size) for size in sizes):
        raise AnswerError(f"{shown_answer(raw)} is not a shape; expected {KINDS['shape'].expected}.")
    return tuple(map(int, sizes))


def same_shape(posed: Posed, answer: Any, text: Any, key: AnswerKey, results: Results) -> bool:
    return bool(answer == shape_in(text, posed.values))


def read_choice(posed: Posed, raw: Raw) -> str:
    return choice_id(posed, one_text(raw, "choice"))


def read_multiple(posed: Posed, raw: Raw) -> frozenset[str]:
    return frozenset(choice_ids(posed, raw))


def read_order(posed: Posed, raw: Raw) -> tuple[str, ...]:
    found = choice_ids(posed, raw)
    if sorted(found) != sorted(posed.choices):
        given = f"{len(found)} of them" if len(set(found)) == len(found) else "one of them twice"
        raise AnswerError(f"An order needs each of the {len(posed.choices)} letters once; you gave {given}.")
    return tuple(found)


def same_ids(posed: Posed, answer: Any, text: Any, key: AnswerKey, results: Results) -> bool:
    return bool(answer == read_answer(posed, list(text) if isinstance(text, tuple) else text))


def read_expression(posed: Posed, raw: Raw) -> Formula:
    try:
        return read_formula(one_text(raw, "formula"), posed.question.variables)
    except FormulaError as error:
        raise AnswerError(str(error)) from None


def same_formula(posed: Posed, answer: Formula, text: Any, key: AnswerKey, results: Results) -> bool:
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


def read_code_line(posed: Posed, raw: Raw) -> str:
    """One expression of Python. What it does is left to the sandbox; this only finds slips."""
    text = one_text(raw, "code").strip()
    shown = shown_answer(text)
    if len(text) > MAX_LINE or "\n" in text:
        raise AnswerError(f"The answer is not one line of at most {MAX_LINE} characters.")
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise AnswerError(f"{shown} is not a Python expression; leave out `name =` and `return`.") from None
    known = {*posed.question.given, *CODE_LINE_MODULES, *CODE_LINE_BUILTINS}
    stores = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, BANNED_NODES) or (isinstance(node, ast.Attribute) and node.attr.startswith("_")):
            raise AnswerError(f"{shown} has a part that is not allowed; expected an expression of tensors.")
        if isinstance(node, ast.Name) and node.id not in known | stores:
            names = ", ".join([*posed.question.given, *CODE_LINE_MODULES])
            raise AnswerError(f"{shown} uses `{node.id}`; expected only {names} and plain Python.")
    try:
        return ast.unparse(tree)
    except (ValueError, RecursionError):
        raise AnswerError(f"{shown} is too deeply nested; expected an expression of tensors.") from None


def same_line(posed: Posed, answer: str, text: Any, key: AnswerKey, results: Results) -> bool:
    expected = trusted_results(text, line_inputs(posed.question))
    return not isinstance(expected, str) and not isinstance(results, str) and results_agree(results, expected)


def read_text(posed: Posed, raw: Raw) -> str:
    text = one_text(raw, "text").strip()
    if len(text) > MAX_TEXT_ANSWER_CHARACTERS:
        raise AnswerError(f"The answer has {len(text):,} characters; expected at most {MAX_TEXT_ANSWER_CHARACTERS:,}.")
    return text


def one_text(raw: Raw, kind: Kind) -> str:
    """The answer as a text, which is not empty. Raises AnswerError."""
    if isinstance(raw, list):
        raise AnswerError(f"A list is not an answer here; expected {KINDS[kind].expected}.")
    text = plain_text(raw)
    if not text.strip():
        raise AnswerError(f"There is no answer; expected {KINDS[kind].expected}.")
    return text


def choice_ids(posed: Posed, raw: Raw) -> list[str]:
    """The ids of several choices: "a, c", "a c", "ac" or a list."""
    if not isinstance(raw, list):
        text = one_text(raw, posed.question.kind).strip()
        parts = re.split(r"[,;\s]+", text.strip(", ;"))
        joined = len(parts) == 1 and parts[0] not in posed.choices and set(parts[0].lower()) <= posed.letters.keys()
        raw = list(parts[0]) if joined else parts
    return [choice_id(posed, plain_text(part)) for part in raw]


def choice_id(posed: Posed, text: str) -> str:
    """The id of the choice that a letter or an id names. Raises AnswerError."""
    plain = text.strip().strip("().").strip()
    found = plain if plain in posed.choices else posed.letters.get(plain.lower())
    if found is None:
        letters = list(posed.letters)[: len(posed.choices)]
        meant = close_name(plain, posed.choices) if len(plain) > 1 else None
        hint = f"; did you mean {meant!r}?" if meant else f"; expected one of {', '.join(letters)}."
        raise AnswerError(f"There is no choice {shown_answer(plain)}{hint}")
    return found


def shown_answer(raw: object) -> str:
    """An answer as messages quote it, in one line."""
    text = " ".join(plain_text(raw).split()).replace("`", "'")
    return f"`{text if len(text) <= MAX_ANSWER_CHARACTERS_SHOWN else text[:MAX_ANSWER_CHARACTERS_SHOWN] + '…'}`"


KINDS: dict[Kind, AnswerKind] = {
    "number": AnswerKind(
        "a number such as 0.25 or 1/32, with a point and without units",
        lambda posed, raw: number_in(raw),
        same_number,
        computed=number_in,
    ),
    "shape": AnswerKind(
        "a shape such as (32, 1)",
        lambda posed, raw: shape_in(raw),
        same_shape,
        computed=shape_in,
    ),
    "choice": AnswerKind(
        "one letter",
        read_choice,
        same_ids,
        lambda posed, chosen: posed.choices[chosen],
    ),
    "multiple": AnswerKind(
        "the letters of all that are true, such as a, c",
        read_multiple,
        same_ids,
        lambda posed, chosen: "; ".join(text for each, text in posed.choices.items() if each in chosen),
    ),
    "order": AnswerKind(
        "all letters in order, such as b, a, c",
        read_order,
        same_ids,
        lambda posed, order: " → ".join(posed.choices[each] for each in order),
    ),
    "formula": AnswerKind("a formula such as -1/n", read_expression, same_formula),
    "code": AnswerKind("one line of Python, without `name =`", read_code_line, same_line),
    "text": AnswerKind("a text", read_text, lambda *_: False, lambda posed, text: str(text)),
}
"""A person reads the answers of kind "text"."""
