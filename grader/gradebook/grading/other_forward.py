"""Which line of a notebook's own forward pass gives other numbers than the lesson's, so that a right formula fails."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import closing

import torch
from torch import Tensor

from grader.intake.notebook.forward_lines import ForwardLine
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.reference.problem import Problem
from grader.results import Row
from grader.sandbox.workers.student import Student

SECONDS = 3.0
"""Waiting time for the lines of one notebook."""
PRECISION = 1e-4


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
    other = functions_with_other_values(needed.values(), problem, student)
    for row in rows:
        line = next((each for each in due.get(row.name, ()) if each.function in other), None)
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


def functions_with_other_values(lines: Collection[ForwardLine], problem: Problem, student: Student) -> set[str]:
    """The functions of those lines that do not give the value of the lesson's forward pass."""
    values = {line.function: problem.finer.values[line.value] for line in lines}
    text = "\n\n\n".join(line.text for line in lines).encode("utf-8", "replace")
    nothing = {name: torch.zeros_like(problem.finer.values[name]) for name in problem.graph.names}
    only_values = problem.with_upstream(nothing)
    with closing(student.with_functions(text, list(values), SECONDS)) as other:
        other.add_private_problems([only_values])
        answers = other.run_steps(only_values, list(values))
    found = {name: answer.tensor for name, answer in answers.items() if answer.tensor is not None}
    return {name for name, mine in found.items() if not agree_in_float32(mine, values[name])}


def agree_in_float32(mine: Tensor, value: Tensor) -> bool:
    """Whether they agree as well as in float32, whatever their axes of length one."""
    mine, value = mine.double().squeeze(), value.double().squeeze()
    allowed = PRECISION * float(value.abs().max())
    return mine.shape == value.shape and torch.allclose(mine, value, rtol=PRECISION, atol=allowed)
