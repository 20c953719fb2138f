"""What is wrong with a tensor next to the one that it should be, and the calls that a scenario makes."""

from __future__ import annotations

from types import SimpleNamespace

import torch

from grader.calling.target import ModuleTarget, arguments_by_name
from grader.comparison.trees import agreement
from grader.verdict.explain.results import explain_results, explain_tensors

GENERATOR = torch.Generator().manual_seed(0)
TABLE, VECTOR = (torch.randn(shape, generator=GENERATOR, dtype=torch.float64) for shape in ((4, 4), (4,)))
WRONG = {  # {id: (found, expected, the message)}
    "zeros": (0 * TABLE, TABLE, "Every element of `dx` is zero. What should have moved it?"),
    "sign": (
        -TABLE,
        TABLE,
        "The sign is flipped: `dx` is exactly minus what it should be. Is a minus missing or one too many, or a "
        "difference the wrong way round?",
    ),
    "ratio": (
        TABLE / 2,
        TABLE,
        "`dx` is exactly 1/2 times what it should be. A constant factor is lost, one too many, or not the right one.",
    ),
    "keepdim": (
        VECTOR[None],
        VECTOR,
        "The numbers of `dx` are right, their shape is not: (1, 4) where (4,) is expected.",
    ),
    "sum_missing": (
        TABLE,
        TABLE.sum(0),
        "`dx` still needs a sum over axis 0: its shape is (4, 4) where (4,) is expected.",
    ),
    "transposed": (TABLE.T, TABLE, "`dx` is the transpose of what it should be."),
    "reversed": (TABLE.flip(0), TABLE, "`dx` is what it should be, but in the opposite order along axis 0."),
}


def test_a_mistake_is_named_where_it_holds_everywhere():
    for name, (found, expected, message) in WRONG.items():
        explanation = explain_tensors("`dx`", [(found, expected)], [{}], 1e-9)
        assert explanation is not None and (explanation.id, explanation.message) == (name, message)
        near = found.contiguous().clone()
        near.view(-1)[1] += 1e-3
        explanation = explain_tensors("`dx`", [(near, expected)], [{}], 1e-9)
        assert explanation is None or explanation.id != name


def test_what_is_not_finite_has_no_pattern():
    assert explain_tensors("`dx`", [(TABLE / 0, TABLE)], [{}], 1e-9) is None


def test_a_part_of_the_results_is_named_where_it_is_wrong_in_the_same_way_on_every_draw():
    right = {"n": 4, "y": [VECTOR, TABLE]}
    draws = [agreement({"n": 4, "y": [VECTOR, TABLE * factor]}, right) for factor in (3, 5)]
    explanation = explain_results(draws, [{"rows": 3}, {"rows": 5}], 1e-9)
    assert explanation is not None
    assert explanation.message == (
        "`y[1]` is exactly rows times what it should be (here 3). A constant factor is lost, one too many, or not the "
        "right one."
    )
    assert explain_results([*draws, agreement(right, right)], [{"rows": 3}, {"rows": 5}, {}], 1e-9) is None


# What calls were given -----------------------------------------------------------------------------------------------


class Course:
    """A lesson's answers, as far as calls are noted by their parameters' names."""

    @staticmethod
    def update(parameters, rate, steps=3):
        for parameter in parameters:
            parameter -= rate
        return len(parameters)

    def forward(x, size, momentum=0.1):
        return x


def test_calls_are_noted_by_the_names_of_the_parameters():
    recorder = ModuleTarget(Course).record(Course)
    weights = [torch.zeros(2), torch.ones(3)]
    assert recorder.call("update", weights, 0.5) == 2
    recorder.call("forward", torch.ones(1), 4)
    assert [call.function for call in recorder.calls] == ["update", "forward"]
    assert recorder.calls[0].arguments == {"parameters": weights, "rate": 0.5, "steps": 3}


def update(parameters):
    parameters[0] += 0.5
    return len(parameters)


def test_a_function_with_fewer_parameters_is_given_those_that_it_has():
    recorder = ModuleTarget(SimpleNamespace(update=update)).record(Course)
    weights = [torch.zeros(2)]
    value, arguments = recorder.apply("update", weights, 0.5)
    assert (value, arguments[1:]) == (1, [0.5]) and arguments[0][0].tolist() == [0.5, 0.5]


def test_a_call_that_does_not_fit_is_noted_by_number():
    assert arguments_by_name(Course.update, (1, 2, 3, 4), {"k": 5}) == {
        "argument 1": 1,
        "argument 2": 2,
        "argument 3": 3,
        "argument 4": 4,
        "k": 5,
    }
