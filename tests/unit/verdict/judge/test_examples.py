"""Public examples on functions that return something else."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from grader.calling.target import ModuleTarget
from grader.lesson.lesson import Course
from grader.reference.runner import LocalStudent
from grader.verdict.judge.checks import run_check
from grader.verdict.judge.examples import PUBLIC_SEED, Example, examples_of
from grader.verdict.judge.problems import ProblemBook


@pytest.mark.parametrize(
    ("returned", "what"),
    [(None, "None"), (3.0, "3"), ([torch.ones(2)], "a list of 1")],
)
def test_a_value_of_another_kind_is_named_without_pythons_own_error(course: Course, returned, what: str):
    """The example needs two gradients; Python would say "cannot unpack non-iterable NoneType object"."""
    lesson = course.find("01")
    functions = SimpleNamespace(through_add=lambda *arguments: returned)
    student = LocalStudent(vars(functions), [])
    check = Example(lesson, lesson.item_for("through_add"), student, ModuleTarget(functions), ProblemBook(PUBLIC_SEED))
    failed = run_check(examples_of(lesson)["through_add"], check)
    assert str(failed) == f"`through_add` returned {what}; expected 2 values: da, db."
