"""Naming the mistake in a step of several operations, in single rows and columns, and in rows of a table.

What a student would write is a formula of the problem's values, so that a test reads as the wrong line does.
"""

from __future__ import annotations

import pytest
import torch
from test_diagnose import made, text

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation


def inputs(generator, rows=4, columns=5, tokens=7, width=3):
    def normal(*shape):
        return torch.randn(shape, generator=generator)

    index = torch.randint(2, tokens, (rows, 2), generator=generator)
    index[0, 0], index[1, 1], index[2, 1], index[0, 1] = 0, 1, 2, 2  # the first two once each, the third twice
    index[1:, 0].clamp_(min=2), index[2:, 1].clamp_(min=2)
    return {
        "x": normal(rows, columns),
        "gain": normal(1, columns) + 2.0,
        "C": normal(tokens, width),
        "X": index,
        "n": rows,
    }


def forward(t):
    with t.fused():
        t.mean = t.x.mean(0, keepdim=True)
        t.diff = t.x - t.mean
        t.var = (t.diff**2).sum(0, keepdim=True) / (t.n - 1)
        t.inverse = (t.var + 1e-5) ** -0.5
        t.norm = t.diff * t.inverse
    t.y = t.gain * t.norm
    t.emb = t.C[t.X]
    t.best = t.y.max(1).values
    t.loss = t.y.exp().mean() + t.emb.square().sum() + t.best.sum()


SIZES = ((4, 5, 9, 3), (6, 7, 11, 2), (5, 3, 12, 4))


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    names = ("rows", "columns", "tokens", "width")
    return made(forward, inputs, [dict(zip(names, sizes, strict=True)) for sizes in SIZES])


def batch_norm(direct=1.0, mean=None, variance=None, factor=lambda v: 1.0, dy=None):
    """dx with the parts through mean and variance as they should be, or as they are given."""

    def formula(problem):
        v, n = problem.values, problem.values["n"]
        u = problem.upstream["y"] if dy is None else dy(problem)
        by_mean = u.sum(0, keepdim=True) if mean is None else mean(v, u)
        by_variance = v["norm"] * (u * v["norm"]).sum(0, keepdim=True) if variance is None else variance(v, u)
        inner = direct * n * u - by_mean - n / (n - 1) * by_variance
        return v["gain"] * v["inverse"] / n * inner * factor(v)

    return formula


WRONG = {
    "a way too small": (
        "way_ratio",
        batch_norm(direct=0.5),
        "In your `dx`, the part that comes directly, not by way of `inverse` or `var` or `mean` is exactly 1/2 "
        "times what it should be. The rest is right.",
    ),
    "two ways at once": (
        "way_ratio",
        batch_norm(direct=2.0, variance=lambda v, u: 0 * u),
        "In your `dx`, the part that comes by way of `inverse` and `var` is missing, and the part that comes directly, "
        "not by way of `inverse` or `var` or `mean` is exactly 2 times what it should be. Gradients of all paths add "
        "up. The rest is right.",
    ),
}


def test_the_right_formula_is_right(problems):
    for problem in problems:
        assert torch.allclose(batch_norm()(problem), problem.reference("x"), rtol=1e-10)


def test_a_wrong_part_is_told_and_a_near_miss_is_not(problems):
    for case, (name, formula, message) in WRONG.items():

        def nudged(problem, formula=formula):
            result = formula(problem).clone()
            result[1, 2] *= 1 + 1e-3
            return result

        assert text(problems, "x", formula) == Explanation(name, message), case
        explanation = text(problems, "x", nudged)
        assert explanation is None or explanation.id != name, case


# Rows of a table ----------------------------------------------------------------------------------------------------


def assigned(problem):
    """`dC[X] = demb`: of the places that read a row, only the last is kept."""
    result = torch.zeros_like(problem.values["C"])
    for row, upstream in zip(
        problem.values["X"].flatten().tolist(), problem.upstream["emb"].flatten(0, 1), strict=True
    ):
        result[row] = upstream
    return result


def test_an_assignment_through_an_index_with_repetitions(problems):
    explanation = text(problems, "C", assigned)
    assert explanation is not None and explanation.id == "repeated_index"
    assert explanation.message == (
        "Your `dC` is right in every row that `X` names once, and wrong only in rows that it names more than once. "
        "A row that is read several times gets a gradient from each place, and they add "
        "up; an assignment through an index, and `+=` through one, keep the last."
    )


def test_a_row_that_is_read_once_and_wrong_is_another_mistake(problems):
    def formula(problem):
        result = assigned(problem)
        result[0] += 1
        return result

    explanation = text(problems, "C", formula)
    assert explanation is None or explanation.id != "repeated_index"
