"""A student's answer, read into a value. A text that cannot be meant is refused in one sentence that names the form."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from grader.questions.answers_file import plain_text
from grader.questions.formula import Formula, FormulaError, read_formula
from grader.questions.posing import Posed
from grader.questions.question import Kind
from grader.source.similar_names import close_name

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
    "range",
    "len",
    "int",
    "float",
    "sum",
    "min",
    "max",
    "abs",
    "slice",
    "list",
    "tuple",
    "True",
    "False",
    "None",
)
BANNED_NODES = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)

Raw = str | int | float | list[Any] | bool


class AnswerError(ValueError):
    """An answer of another form than its question needs. The text is a sentence for the student."""


def read_answer(posed: Posed, raw: object) -> Any:
    """The answer as a value of its kind: a float, a tuple of sizes, ids, a Formula or a text. Raises AnswerError."""
    if isinstance(raw, bool) or not isinstance(raw, (str, int, float, list)):
        raise AnswerError(f"{shown_answer(raw)} is not an answer; expected {EXPECTED[posed.question.kind]}.")
    if is_too_long(raw, MAX_TEXT_ANSWER_CHARACTERS * 100 if posed.question.kind == "text" else MAX_ANSWER_CHARACTERS):
        raise AnswerError(f"The answer is too long; expected {EXPECTED[posed.question.kind]}.")
    return READERS[posed.question.kind](posed, raw)


def is_too_long(raw: Raw, most: int) -> bool:
    """Whether an answer has more characters than `most`, or a list more entries than a question can need."""
    if isinstance(raw, list):
        return len(raw) > MAX_ANSWER_ENTRIES or sum(len(plain_text(each)) for each in raw) > most
    return len(plain_text(raw)) > most


def read_number(posed: Posed, raw: Raw, values: Mapping[str, float] | None = None) -> float:
    """A number, or a formula in the names of `values`, as a float. Raises AnswerError."""
    known = values or {}
    try:
        return read_formula(one_text(raw, "number"), known).number(known)
    except FormulaError as error:
        raise AnswerError(f"{shown_answer(raw)} is not a number; expected {EXPECTED['number']}.") from error


def read_shape(posed: Posed, raw: Raw, values: Mapping[str, float] | None = None) -> tuple[int, ...]:
    """The sizes in an answer such as `(32, 27)`, `32 × n` or `[32, 27]`, one per axis. Raises AnswerError."""
    if isinstance(raw, list):
        raw = ", ".join(map(plain_text, raw))
    text = one_text(raw, "shape").strip().removeprefix("torch.Size").strip().strip("()[] ")
    parts = [part for part in re.split(r"[,×]|(?<=\d)\s*x\s*(?=\d)", text) if part.strip()]
    try:
        sizes = [read_formula(part, values or {}).number(values or {}) for part in parts]
    except FormulaError:
        sizes = [-1.0]
    if len(sizes) > MAX_AXES or any(size < 0 or size != int(size) for size in sizes):
        raise AnswerError(f"{shown_answer(raw)} is not a shape; expected {EXPECTED['shape']}.")
    return tuple(map(int, sizes))


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


def read_expression(posed: Posed, raw: Raw) -> Formula:
    try:
        return read_formula(one_text(raw, "formula"), posed.question.variables)
    except FormulaError as error:
        raise AnswerError(str(error)) from None


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


def read_text(posed: Posed, raw: Raw) -> str:
    text = one_text(raw, "text").strip()
    if len(text) > MAX_TEXT_ANSWER_CHARACTERS:
        raise AnswerError(f"The answer has {len(text):,} characters; expected at most {MAX_TEXT_ANSWER_CHARACTERS:,}.")
    return text


def one_text(raw: Raw, kind: Kind) -> str:
    """The answer as a text, which is not empty. Raises AnswerError."""
    if isinstance(raw, list):
        raise AnswerError(f"A list is not an answer here; expected {EXPECTED[kind]}.")
    text = plain_text(raw)
    if not text.strip():
        raise AnswerError(f"There is no answer; expected {EXPECTED[kind]}.")
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


def answer_text(posed: Posed, raw: object) -> str:
    """An answer as a report shows it: the text of the choices, else what the student wrote."""
    try:
        ids = read_answer(posed, raw)
    except AnswerError:
        return " ".join(plain_text(raw).split())[:MAX_ANSWER_CHARACTERS_SHOWN]
    if posed.question.kind == "text":
        return str(ids)
    if posed.question.kind == "choice":
        return posed.choices[ids]
    if posed.question.kind == "multiple":
        return "; ".join(text for each, text in posed.choices.items() if each in ids)
    if posed.question.kind == "order":
        return " → ".join(posed.choices[each] for each in ids)
    return " ".join(plain_text(raw).split())[:MAX_ANSWER_CHARACTERS_SHOWN]


EXPECTED: dict[Kind, str] = {
    "number": "a number such as 0.25 or 1/32, with a point and without units",
    "shape": "a shape such as (32, 1)",
    "choice": "one letter",
    "multiple": "the letters of all that are true, such as a, c",
    "order": "all letters in order, such as b, a, c",
    "formula": "a formula such as -1/n",
    "code": "one line of Python, without `name =`",
    "text": "a text",
}
READERS: dict[Kind, Callable[[Posed, Raw], Any]] = {
    "number": read_number,
    "shape": read_shape,
    "choice": read_choice,
    "multiple": read_multiple,
    "order": read_order,
    "formula": read_expression,
    "code": read_code_line,
    "text": read_text,
}
