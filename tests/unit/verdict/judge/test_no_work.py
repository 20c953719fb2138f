"""Gradient rows that answers without work would earn: the bench's table, one seed, and `with` in lesson.toml."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from support import ROOT, SEED, sampled

from bench.no_points import gradients
from grader.authoring.lesson_review import draw_faults
from grader.calling.answer import Answer
from grader.lesson.lesson import Course, Lesson
from grader.reference.problem import Problem, derive
from grader.reference.runner import LocalStudent, StepRunner
from grader.verdict.explain.gradient import explain_gradient
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.problems import ProblemBook

LESSONS = Course(ROOT).lessons
BIASES = {"06_embedding_net": ("db", "dW", "demb"), "07_training": ("db1", "dW1", "dC")}


SLOW = {"15_gpt"}
"""Its function returns all gradients at once, so each of them costs a whole backward pass."""


WITH_GRADIENTS = [
    pytest.param(name, marks=pytest.mark.slow if name in SLOW else ())
    for name, lesson in LESSONS.items()
    if lesson.gradients
]


@sampled("name", WITH_GRADIENTS, keep=1)
def test_no_gradient_row_awards_points_for_no_work(name: str) -> None:
    found = list(gradients.rows(LESSONS[name], [derive(SEED, "no work")]))
    assert [row.name for row in found] == [item.name for item in LESSONS[name].gradients]
    assert [row for row in found if row.earned] == []
    assert all(row.verdicts["zeros"] == row.verdicts["ones"] == "failed" for row in found)


def test_a_row_that_zeros_earn_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench itself: without `with`, zeros earn the bias in front of batch norm."""
    lesson = Lesson(ROOT, "06_embedding_net")
    monkeypatch.setattr(lesson, "gradients", tuple(replace(item, earned_with=()) for item in lesson.gradients))
    monkeypatch.setattr(lesson, "items", lesson.gradients + lesson.checks)
    earned = {row.name: row.verdicts["zeros"] for row in gradients.rows(lesson, [SEED]) if row.earned}
    assert earned == {"db": "passed: zeros"}


class WithBias(StepRunner):
    """The course's solution, with other answers to some rows."""

    def __init__(self, lesson: Lesson, change: dict[str, Callable[[torch.Tensor], torch.Tensor]]) -> None:
        self._right = LocalStudent(vars(lesson.answers), [g.name for g in lesson.gradients], lesson.joint)
        self._change = change

    def answers(self, problem: Problem) -> dict[str, Answer]:
        found = dict(self._right.answers(problem))
        for name, change in self._change.items():
            tensor = found[name].tensor
            assert tensor is not None
            found[name] = found[name]._replace(tensor=change(tensor))
        return found

    def run_traced(self, problem: Problem, step: str) -> Answer:
        return self.answers(problem)[step]


@sampled("name", BIASES, keep=1)
def test_the_bias_is_earned_with_the_weights(name: str) -> None:
    lesson, (bias, weights, inputs) = LESSONS[name], BIASES[name]
    book = ProblemBook(SEED)

    def judged(**change: Callable[[torch.Tensor], torch.Tensor]) -> object:
        check = GradientCheck(lesson, lesson.item_for(bias), WithBias(lesson, change), book)
        row = check.row(lesson.draws)
        explain_gradient(check, lesson.draws, row)
        return row

    assert judged().status == "passed"
    assert judged(**{bias: torch.zeros_like}).status == "passed"
    other = next(item.name for item in lesson.gradients if item.name not in BIASES[name])
    assert judged(**{bias: torch.zeros_like, other: torch.ones_like}).status == "passed"
    # the other shows that their upstream gradient is right
    assert judged(**{weights: lambda right: 1.01 * right}).status == "passed"
    refused = judged(**{weights: lambda right: 1.01 * right, inputs: lambda right: 1.01 * right})
    assert refused.status == "failed" and refused.mistake.id == "earned_together"
    assert refused.message.startswith(f"The true `{bias}` is zero here") and f"those of `{weights}`" in refused.message
    wrong = judged(**{bias: torch.ones_like, weights: torch.zeros_like, inputs: torch.zeros_like})
    assert wrong.status == "failed"
    assert wrong.message.startswith(f"The true `{bias}` is zero here, and yours is not.")


def test_verify_finds_a_vanishing_row_and_a_wrong_name(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = Lesson(ROOT, "06_embedding_net")
    assert list(draw_faults(lesson)) == []

    def with_db(*earned_with: str) -> list[str]:
        items = [
            replace(item, earned_with=earned_with) if item.name == "db" else item
            for item in LESSONS["06_embedding_net"].gradients
        ]
        monkeypatch.setattr(lesson, "gradients", tuple(items))
        return list(draw_faults(lesson))

    assert with_db() == [
        "lesson.toml: db is zero on every hidden problem, so zeros would earn its points. Name a gradient from the "
        'same upstream gradient, `with = ["dW"]` under [gradients.db], say.'
    ]
    assert with_db("dV") == ["lesson.toml: [gradients.db] has `with = ['dV']`, but dV is no gradient of this lesson."]
