"""The stages of the published problem that are run in one request: as far as the student's own chain was right."""

from __future__ import annotations

import pytest
import torch
from support import ROOT
from torch import Tensor

from grader.calling.answer import Answer
from grader.lesson.lesson import Course, Lesson
from grader.sandbox.workers.sending import stages
from grader.sandbox.workers.stage_guesses import first_doubtful_stage


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return Course(ROOT).find("03")


def doubtful_step(lesson: Lesson, step: str = "", instead: Tensor | None = None) -> str | None:
    """The step at which the guess ends when `step` answered that in a chain whose other answers are right."""
    names = [item.name for item in lesson.gradients]
    exact = (
        lesson.public_chain.upstream
    )  # the published problem in float64: no gradient has the float32 one's last digits
    chain = {name: Answer("returned", exact[name[1:]]) for name in names}
    if step:
        chain[step] = Answer("raised") if instead is None else Answer("returned", instead)
    plan = stages(0, lesson.public, names)
    number = first_doubtful_stage(plan, lesson.public, chain)
    return plan[number].steps[0] if number < len(plan) else None


def test_a_right_chain_is_guessed_to_its_end_with_gradients_that_are_zero_but_for_rounding(lesson):
    zero, above = lesson.public.upstream["logit_maxes"], lesson.public.upstream["norm_logits"]
    assert 0 < zero.norm() < 1e-7 * above.norm()
    assert doubtful_step(lesson) is None


@pytest.mark.parametrize("instead", [None, torch.ones(32, 1), torch.full((32, 1), 1e-3), torch.zeros(32)])
def test_another_answer_ends_it_also_where_the_gradient_is_zero(lesson, instead):
    assert doubtful_step(lesson, "dlogit_maxes", instead) == "dlogit_maxes"


def test_a_wrong_gradient_ends_it(lesson):
    assert doubtful_step(lesson, "dh", lesson.public_chain.upstream["h"] * 1.01) == "dh"
