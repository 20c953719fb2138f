"""Which line of a notebook's own forward pass gives other numbers than the lesson's, so that a right formula fails."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing

import torch
from torch import Tensor

from grader.intake.notebook.forward_lines import ForwardLine
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.reference.problem import Problem
from grader.results import Row
from grader.sandbox.workers.student import Student

PRECISION = 1e-4
SMALL_NUMBER = "other_small_number"
"""The mistake of another small number under a root; such a number makes a forward value differ in its last digits."""
SMALL_NUMBER_PRECISION = 1e-9


def name_other_forward(lesson: Lesson, rows: Iterable[Row], student: Student, submitted: LessonFiles) -> None:
    """Add to each wrong row the notebook's line that computes another value, if its gradient comes through it."""
    lines = submitted.origin.forward if submitted.origin is not None else {}
    if not lines:
        return
    problem = student.public or lesson.public
    due = {
        row.name: [lines[value] for value in values_behind(problem, row.name[1:]) if value in lines]
        for row in rows
        if row.status in ("failed", "shape") and row.name[1:] in problem.graph.consumers
    }
    needed = {line.function: line for found in due.values() for line in found}
    if not needed:
        return
    differences = differences_of(needed.values(), problem, student)
    for row in rows:
        line = next((each for each in due.get(row.name, ()) if differences.get(each.function, 0) > PRECISION), None)
        same_number = next((each for each in due.get(row.name, ()) if has_its_number(row, each, differences)), None)
        if same_number is not None:  # the forward pass adds the number that the message says it does not
            line, row.message = same_number, None
        if line is not None:
            remark = (
                f"Your forward pass has another line ({line.file}, line {line.line}): `{line.code}`; the lesson has "
                f"`{line.expected}`. The gradient is judged for the lesson's line."
            )
            row.message = f"{row.message} {remark}" if row.message else remark
            row.mistake = row.mistake and row.mistake._replace(message=row.message)


def values_behind(problem: Problem, name: str) -> list[str]:
    """The values that are computed from this one, up to those whose gradients its step receives."""
    found: list[str] = []
    waiting = [*problem.finer.consumers.get(name, ())]
    while waiting:
        value = waiting.pop(0)
        if value not in found:
            found.append(value)
            if value not in problem.graph.consumers:
                waiting += problem.finer.consumers.get(value, ())
    return found


def has_its_number(row: Row, line: ForwardLine, differences: Mapping[str, float]) -> bool:
    """Whether a row's only mistake is a small number, and the forward line has this number in the lesson's place."""
    if row.mistake is None or row.mistake.id != SMALL_NUMBER:
        return False
    is_other = differences.get(line.function, 0) > SMALL_NUMBER_PRECISION
    quoted = row.mistake.message.split("`")[1:2]
    return is_other and any(each in decimals_in(line.text) for each in map(number_of, quoted))


def number_of(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def decimals_in(code: str) -> set[float | None]:
    nodes = ast.walk(ast.parse(code))
    return {each.value for each in nodes if isinstance(each, ast.Constant) and isinstance(each.value, float)}


def differences_of(lines: Collection[ForwardLine], problem: Problem, student: Student) -> dict[str, float]:
    """{function of a line: by how much its value differs from that of the lesson's forward pass, relative to it}."""
    values = {line.function: problem.finer.values[line.value] for line in lines}
    text = "\n\n\n".join(line.text for line in lines).encode("utf-8", "replace")
    nothing = {name: torch.zeros_like(problem.finer.values[name]) for name in problem.graph.names}
    only_values = problem.with_upstream(nothing)
    with closing(student.with_functions(text, list(values))) as other:
        answers = other.run_steps(only_values, list(values))
    found = {name: answer.tensor for name, answer in answers.items() if answer.tensor is not None}
    return {name: difference_between(mine, values[name]) for name, mine in found.items()}


def difference_between(mine: Tensor, value: Tensor) -> float:
    """The largest difference of two elements, relative to the largest value; infinite for another shape.

    Axes of length one make no difference.
    """
    mine, value = mine.double().squeeze(), value.double().squeeze()
    if mine.shape != value.shape:
        return math.inf
    if torch.equal(mine, value) or not bool(value.isfinite().all()):
        return 0.0
    if not bool(mine.isfinite().all()):
        return math.inf
    largest = float(value.abs().max())
    return float((mine - value).abs().max()) / largest if largest else math.inf
