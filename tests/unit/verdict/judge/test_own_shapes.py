"""Upstream gradients in the shapes that they have in a notebook, carried over to problems of other sizes."""

from __future__ import annotations

import pytest
import torch

from grader.calling.answer import Answer
from grader.reference.problem import Draw
from grader.verdict.judge.notebook_terms import own_shapes


@pytest.fixture
def lesson(course):
    return course.find("03")


def answered(**shapes):
    return {name: Answer("returned", tensor=torch.zeros(shape)) for name, shape in shapes.items()}


def test_a_shape_is_carried_over_to_other_sizes(lesson):
    for shape, fed in [((32,), [5]), ((1, 32), [1, 5]), ((32, 1, 1), [5, 1, 1]), ((1, 32, 1), [1, 5, 1])]:
        found = own_shapes(answered(dlogit_maxes=shape), lesson.public_chain, "logits")
        problem = lesson.problem(Draw({"batch": 5, "vocabulary": 7}), 1)
        other = found.problem(problem)
        assert list(other.fed["logit_maxes"].shape) == fed and other.fed.keys() == problem.upstream.keys()
        assert torch.equal(other.fed["logit_maxes"].flatten(), problem.upstream["logit_maxes"].flatten())
        assert other.upstream["logit_maxes"].shape == (5, 1)
        assert torch.equal(other.reference("logits"), problem.reference("logits"))
        assert problem.fed["logit_maxes"].shape == (5, 1)


def test_nothing_to_carry_over(lesson):
    for chain in [
        {},
        answered(dlogit_maxes=(32, 1)),
        answered(dlogit_maxes=(31,)),  # of another length
        answered(dlogit_maxes=(32, 27)),
        {"dlogit_maxes": Answer("raised")},
        answered(dbnvar=(64,)),  # not above it
    ]:
        assert own_shapes(chain, lesson.public_chain, "logits") is None


def test_the_remark_is_about_what_the_line_reads(lesson):
    chain = answered(dlogit_maxes=(32,), dcounts_sum=(32,))
    found = own_shapes(chain, lesson.public_chain, "logits")
    assert found.remark({"dlogit_maxes", "logits"}) == (
        "Right with `dlogit_maxes` of shape (32,), as in your notebook. With the shape of `logit_maxes`, (32, 1), this "
        "line fails."
    )
    assert found.remark(()) == (
        "Right with `dlogit_maxes` of shape (32,) and `dcounts_sum` of shape (32,), as in your notebook. With the "
        "shapes of their values this line fails."
    )
