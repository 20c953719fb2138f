"""What a call returned, compared with what it should have: each sentence, and a near miss that must not get it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from grader.calling.target import Call, ModuleTarget, arguments_by_name, numbers_given, tensors_given
from grader.comparison.trees import agreement
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.results import ComparedResult, explain_result

MOMENTA = (0.1, 0.3)


def problem(number: int) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(number)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    n, size = (6, 4) if number else (5, 3)
    x, gamma, old = normal(n, size), normal(size) + 3.0, normal(size)
    share = MOMENTA[number]
    return {
        "x": x,
        "gamma": gamma,
        "old": old,
        "n": n,
        "momentum": share,
        "new": (1 - share) * old + share * x.mean(0),
        "out": gamma * (x - x.mean(0)),
        "table": x.T @ x + normal(size, size),
        "loss": float(x.square().mean()),
        "largest": x.amax(0),
    }


PROBLEMS = [problem(0), problem(1)]
PARTS = ("new", "out", "table", "loss", "largest")


def text(part: str, formula: Any, tolerance: float = 1e-9) -> Explanation | None:
    """The message to a student whose part of the result is `formula` of the problem, all else being right."""
    outcomes = []
    for p in PROBLEMS:
        expected = {name: p[name] for name in PARTS}
        found = expected | {part: formula(p)}
        wrong = agreement(found, expected, tolerance).differing_parts
        given = {"`x`": p["x"], "`gamma`": p["gamma"], "`old`": p["old"]}
        outcomes.append(ComparedResult(found, expected, wrong, given, {"n": p["n"]}, {"momentum": p["momentum"]}))
    return explain_result(outcomes, tolerance, coarse=False)


WRONG = {
    "zeros": (
        "out",
        lambda p: 0 * p["out"],
        "Every element of `out` is zero. What should have moved it?",
    ),
    "sign": (
        "new",
        lambda p: -p["new"],
        "The sign is flipped: `new` is exactly minus what it should be. One minus is missing, or one too many.",
    ),
    "ratio": (
        "out",
        lambda p: p["out"] / p["n"],
        "`out` is exactly 1/n times what it should be (here 0.2). A constant factor is lost, or there is one too many.",
    ),
    "keepdim": (
        "new",
        lambda p: p["new"].unsqueeze(0),
        "The numbers of `new` are right, their shape is not: (1, 3) where (3,) is expected.",
    ),
    "sum_missing": (
        "new",
        lambda p: p["n"] * p["new"] * torch.ones(p["n"], 1, dtype=torch.float64) / p["n"] ** 2 * torch.ones(1),
        "`new` still needs a sum over axis 0: its shape is (5, 3) where (3,) is expected.",
    ),
    "transposed": ("table", lambda p: p["table"].T, "`table` is the transpose of what it should be."),
    "reversed": (
        "table",
        lambda p: p["table"].flip(0),
        "`table` is what it should be, but in the opposite order along axis 0.",
    ),
}


def test_a_mistake_is_named_where_it_explains_every_problem():
    for name, (part, formula, message) in WRONG.items():
        check_mistake(name, part, formula, message)


def check_mistake(name, part, formula, message):

    def nudged(p):
        result = formula(p).contiguous().clone()
        result.view(-1)[1] += 1e-3
        return result

    def sometimes(p):
        return formula(p) if p is PROBLEMS[0] else torch.ones_like(formula(p)).cumsum(0)

    assert text(part, formula) == Explanation(name, message)
    for near in (nudged, sometimes):
        explanation = text(part, near)
        assert explanation is None or explanation.id != name


def test_a_single_number_is_no_evidence_for_a_constant_without_a_name():
    assert text("loss", lambda p: p["loss"] * 1.2345 * p["n"]) is None
    explanation = text("loss", lambda p: p["loss"] * p["n"])
    assert explanation == Explanation(
        "ratio",
        "`loss` is exactly n times what it should be (here 5). A constant factor is lost, or there is one too many.",
    )


def test_what_a_loose_tolerance_alone_makes_equal_is_not_named():
    assert text("out", lambda p: p["out"] * (1 + 5e-6 * p["x"]), tolerance=1e-6) is None


def test_an_argument_that_was_changed_in_place():
    """It is not described as the result of the call: nothing should have been done to it."""
    name, given = "the arguments afterwards", torch.tensor([1.0, 2.0, 4.0])
    found, expected = {"y": given * 3, name: [given * 2]}, {"y": given * 3, name: [given]}
    outcome = ComparedResult(found, expected, frozenset({f"{name}[0]"}), {"`l`": given}, {}, {})
    message = (
        "An argument has been changed in place: `l` is not what it was before the call. Start from a `.clone()`, or "
        "write `a = a + ...` instead of `a += ...`."
    )
    assert explain_result([outcome, outcome], 1e-9, False) == Explanation("changed_argument", message)


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
    recorder = ModuleTarget(Course).record(Course, copies=True)
    weights = [torch.zeros(2), torch.ones(3)]
    assert recorder.call("update", weights, 0.5) == 2
    recorder.call("forward", torch.ones(1), 4)
    recorder.call("forward", torch.ones(2), 4)
    assert [call.function for call in recorder.calls] == ["update", "forward", "forward"]
    assert numbers_given(recorder.calls) == {"rate": 0.5, "steps": 3, "size": 4, "momentum": 0.1}
    given = tensors_given(recorder.calls)
    assert {name: len(tensor) for name, tensor in given.items()} == {
        "`parameters[0]`": 2,
        "`parameters[1]`": 3,
        "`x` of call 1 of `forward`": 1,
        "`x` of call 2 of `forward`": 2,
    }


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
    assert numbers_given([Call("f", {"k": 1}), Call("f", {"k": 2})]) == {}
