"""A check that judges one gradient on several lists of draws, and reads the problems behind the answers."""

from __future__ import annotations

import torch
from support import ROOT, SEED

from grader.lesson.lesson import Lesson
from grader.reference.problem import Draw
from grader.reference.runner import LocalStudent
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.problems import ProblemBook

SIZES = {"batch": 2, "time": 3, "channels": 5, "head": 4}


def zero_in_padding(dO, P, K, V, O):
    """dQ, and one where a position may read nothing."""
    dP = dO @ V.transpose(1, 2)
    dS = P * (dP - (dO * O).sum(2, keepdim=True))
    return (dS @ K / K.shape[2] ** 0.5).masked_fill(P.sum(2, keepdim=True) == 0, 1.0)


def test_each_list_of_draws_has_its_own_verdict_and_its_own_problems() -> None:
    lesson = Lesson(ROOT, "12_attention")
    ordinary = (Draw(SIZES),)
    padded = (Draw(SIZES, padding),)
    steps = [item.name for item in lesson.gradients]
    student = LocalStudent({**vars(lesson.answers), "dQ": zero_in_padding}, steps, lesson.joint)
    dQ = GradientCheck(lesson, lesson.item_for("dQ"), student, ProblemBook(SEED))
    assert dQ.passes(ordinary)
    assert not dQ.passes(padded)
    assert dQ.passes(ordinary)
    for draws in (ordinary, padded):
        ((problem, answer),) = dQ.cases(draws)
        assert answer.tensor is not None
        assert torch.equal(dQ.answers(draws)[0].tensor, answer.tensor)
        blocked = problem.values["P"].sum(2) == 0
        assert bool(blocked.any()) == (draws is padded)
        assert bool((answer.tensor[blocked] == 1).all())
        assert problem.upstream["O"].shape == answer.tensor.shape


def padding(inputs: dict[str, torch.Tensor]) -> None:
    """Nobody may read the first position of the first example, so that position reads nothing."""
    inputs["allowed"][0, :, 0] = False
