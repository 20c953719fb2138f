"""Steps that run in float32 and cannot run in float64: they are run, and judged, in float32; and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from support import sampled

from bench.verdicts.float32 import measure
from grader.calling.steps import Joint, StepInput, call_joint, call_step
from grader.comparison.tensors import LOW_PRECISION_TOLERANCE
from grader.comparison.trees import agreement

I = torch.arange(4)
GENERATOR = torch.Generator().manual_seed(3)
VALUES = {"x": torch.randn(4, 4, generator=GENERATOR, dtype=torch.float64), "i": I, "n": 4}
UPSTREAM = {"y": torch.randn(4, 4, generator=GENERATOR, dtype=torch.float64)}
ZEROS = {"dtype": torch.float32}

RUN_IN_FLOAT32_ONLY = {
    "matrix product": lambda x, dy: x.float() @ dy,
    "einsum": lambda x, dy: torch.einsum("ij,jk->ik", x.type(torch.FloatTensor), dy),
    "linear with a bias": lambda x, dy: F.linear(x, dy.T, torch.zeros(4, **ZEROS)),
    "addmm": lambda x, dy: torch.addmm(torch.zeros(4, 4, **ZEROS), x, dy),
    "baddbmm": lambda x, dy: torch.baddbmm(torch.zeros(1, 4, 4, **ZEROS), x[None], dy[None])[0],
    "one-hot product": lambda i, x, dy: F.one_hot(i, 4).float().T @ (x @ dy),
    "index_add_": lambda i, x, dy: torch.zeros(4, 4, **ZEROS).index_add_(0, i, x @ dy),
    "scatter_add_": lambda i, x, dy: torch.zeros(4, 4, **ZEROS).scatter_add_(0, i[:, None].expand(4, 4), x @ dy),
    "out": lambda x, dy: torch.mm(x, dy, out=torch.zeros(4, 4, **ZEROS)),
    "layer": lambda x, dy: product_of_a_layer(x, dy),
    "numpy, into an array": lambda x, dy: torch.from_numpy(np.dot(x.numpy(), dy.numpy(), np.zeros((4, 4), np.float32))),
}


def product_of_a_layer(x, dy):
    layer = torch.nn.Linear(4, 4, bias=False, dtype=torch.float32)
    layer.weight.data.copy_(dy.T)
    return layer(x).detach()


def asserting(x, dy):
    assert x.dtype == torch.float32
    return x @ dy


def answer_of(function):
    return call_step(function, "dx", StepInput(VALUES, UPSTREAM, torch.float64))


@pytest.mark.parametrize("name", [*RUN_IN_FLOAT32_ONLY, "assert"])
def test_a_step_that_cannot_run_in_float64_runs_in_float32(name):
    answer = answer_of({**RUN_IN_FLOAT32_ONLY, "assert": asserting}[name])
    assert answer.outcome == "returned", answer.message
    assert answer.in_float32 and answer.low_precision and not answer.changed
    right = VALUES["x"] @ UPSTREAM["y"]
    assert agreement(answer.tensor, right, LOW_PRECISION_TOLERANCE).holds


def test_a_step_that_runs_in_float64_is_not_run_again():
    calls = []

    def once(x, dy):
        calls.append(x.dtype)
        return x @ dy

    answer = answer_of(once)
    assert (calls, answer.in_float32, answer.low_precision) == ([torch.float64], False, False)


def test_an_error_that_is_not_about_float64_is_as_it_was():
    for function, message in [
        (lambda x, dy: x.float() @ dy[:, :1].T @ dy[:1], "shapes cannot be multiplied"),  # the formula's own error
        (lambda i, dy: F.one_hot(i, 4) @ dy, "long int != double"),  # float32 does not help: as float64 has it
        (lambda x: x[7], "index 7 is out of bounds"),  # nothing about dtypes
        (lambda x: x.double() @ x.float(), "double != float"),
    ]:
        answer = answer_of(function)
        assert answer.outcome == "raised" and message in answer.message and not answer.in_float32


def test_what_the_step_changes_is_seen_in_float32_too():
    def changing(x, dy):
        dy *= 2
        return x.float() @ dy

    assert answer_of(changing).changed == ("dy",)


def test_a_joint_function_runs_in_float32_as_a_whole():
    def backward(x, i):
        return F.one_hot(i, 4).float().T @ x, x.sum(0)

    answers = call_joint(backward, Joint("backward", ("dx", "db")), ["dx", "db"], StepInput(VALUES, {}, torch.float64))
    assert [answer.in_float32 for answer in answers.values()] == [True, True]
    assert agreement(answers["dx"].tensor, VALUES["x"], LOW_PRECISION_TOLERANCE).holds


@sampled("number", ["02", "04"], keep=1)
def test_float32_s_tolerance_is_between_right_and_wrong(course, number):
    rows, faults = measure(course.find(number), range(7, 8))
    assert faults == []
    for row in rows.values():
        assert row.farthest_right[0] < LOW_PRECISION_TOLERANCE / 3
        assert row.nearest_wrong[0] > LOW_PRECISION_TOLERANCE * 30


@pytest.mark.slow
def test_the_same_in_every_lesson(course):
    for lesson in course.lessons.values():
        if lesson.gradients:
            assert measure(lesson, range(7, 10))[1] == []
