"""One row: from answers on several problems to a status and a sentence; and the student's own chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader.calling.answer import Answer
from grader.reference.problem import Draw, Problem
from grader.verdict.explain.errors import explain_no_answer, name_mistake
from grader.verdict.explain.gradient import explain
from grader.verdict.explain.where_wrong import smallest_sizes, where_it_is_wrong, wrong_places
from grader.verdict.judge.chain import chain_verdicts
from grader.verdict.judge.line import FROM_EARLIER_GRADIENT, judge_line

NOTE = "At a tie the maximum has no derivative."


def inputs(generator, rows=4, columns=5):
    return {"x": torch.randn(rows, columns, generator=generator), "s": torch.randn((), generator=generator), "n": rows}


def tie(inputs):
    inputs["x"][:, 1] = inputs["x"][:, 0] = 9.0


def forward(t):
    t.m = t.x.max(1, keepdim=True).values
    t.d = t.x - t.m
    t.e = t.d * t.s
    t.loss = t.e.exp().mean()


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    draws = [Draw({"rows": 4, "columns": 5}), Draw({"rows": 6, "columns": 3}), Draw({"rows": 3, "columns": 7})]
    return [Problem(forward, inputs, draw, seed) for seed, draw in enumerate(draws)]


@pytest.fixture(scope="module")
def with_a_tie(problems) -> list[Problem]:
    return [*problems, Problem(forward, inputs, Draw({"rows": 5, "columns": 4}, tie, {"dx": NOTE}), 9)]


def judged(problems: list[Problem], name: str, answer: Callable[[Problem], Any], **claims: Any) -> Any:
    """The verdict on d`name`, whose answer is a tensor, or an Answer as it is."""
    cases = []
    for problem in problems:
        given = answer(problem)
        cases.append((problem, given if isinstance(given, Answer) else Answer("returned", given, line=7, **claims)))
    verdict = judge_line(name, cases)
    if any(answer.outcome != "returned" for _, answer in verdict.cases):
        explain_no_answer(name, verdict, None)
    elif not verdict.passed and verdict.mistake is None:
        verdict.message = verdict.message or where_it_is_wrong(name, verdict.cases)
        name_mistake(verdict, explain(name, verdict.cases))
    return verdict


def right(name: str) -> Callable[[Problem], torch.Tensor]:
    return lambda problem: problem.reference(name)


def test_the_message_has_the_worst_error(problems):
    verdict = judged(problems, "d", lambda p: p.reference("d") * (1 + 1e-10 * p.values["n"]))
    assert verdict.passed and verdict.relative_error == pytest.approx(6e-10, rel=1e-4)


def test_wrong_on_one_problem_is_wrong(problems):
    def answer(p):
        return p.reference("d") + (p.values["n"] == 6) * torch.eye(*p.values["d"].shape, dtype=torch.float64)

    verdict = judged(problems, "d", answer)
    assert verdict.status == "failed" and verdict.mistake is None
    assert verdict.message.endswith(" It is right on 2 of 3 problems; the first wrong one has rows 6, columns 3.")


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("missing", "missing"),
        ("raised", "error"),
        ("timeout", "timeout"),
        ("crashed", "crashed"),
        ("forbidden", "forbidden"),
        ("skipped", "error"),
    ],
)
def test_no_answer_at_all(problems, outcome, status):
    verdict = judged(problems, "d", lambda p: Answer(outcome, message="Why.", line=3))
    assert (verdict.status, verdict.message, verdict.line) == (status, "Why.", 3)


def test_right_numbers_and_a_changed_argument_do_not_pass(problems):
    verdict = judged(problems, "d", right("d"), changed=("de",))
    assert verdict.status == "failed" and verdict.mistake.id == "changed_argument"
    assert verdict.relative_error is None


def test_another_shape(problems):
    verdict = judged(problems, "d", lambda p: p.reference("d").flatten())
    assert verdict.status == "shape" and verdict.mistake.id == "not_reshaped"
    verdict = judged(problems, "d", lambda p: p.reference("d").flatten()[1:])
    assert verdict.status == "shape" and verdict.relative_error is None and verdict.mistake is None
    assert verdict.message == "The shape is (19,); expected (4, 5), the shape of the value itself."


def test_the_worst_element_and_the_wrong_rows(problems):
    def answer(p):
        result = p.reference("d").clone()
        result[1, 2], result[3 % len(result), 0] = 100, 50
        return result

    verdict = judged(problems[:1], "d", answer)
    error, expected = verdict.message.split("Worst element")
    assert error.startswith("The value is wrong: the error is ") and error.endswith(" of the gradient's size. ")
    reference = float(problems[0].reference("d")[1, 2])
    assert expected == f" [1, 2]: found 100, expected {reference:.9g}. Only 2 of 4 rows are wrong: 1, 3."


def test_rows_columns_and_elements_by_hand():
    right = torch.ones(7, 3, dtype=torch.float64)
    rows, columns, one, all_wrong = right.clone(), right.clone(), right[0].clone(), right + 1
    rows[1:] += 1
    columns[:, 2] += 1
    one[2] += 1
    assert wrong_places(rows, right) == "6 of 7 rows are wrong: 1, 2, 3, 4, 5 and 1 more."
    assert wrong_places(columns, right) == "Only 1 of 3 columns are wrong: 2."
    assert wrong_places(one, right[0]) == "Only 1 of 3 elements are wrong, the first of them [2]."
    assert wrong_places(all_wrong, right) == ""


def test_no_padding_and_a_single_example_are_special_and_a_size_that_the_failing_problems_share_is_not():
    wrong = [Draw({"batch": 3, "channels": 6, "padding": 1}), Draw({"batch": 4, "channels": 6, "padding": 2})]
    both, plain = Draw({"batch": 1, "channels": 4, "padding": 0}), Draw({"batch": 2, "channels": 5, "padding": 0})
    said = "It is right on another problem, where batch is 1 and padding is 0."
    assert smallest_sizes(wrong, [both], "is right") == said
    assert smallest_sizes(wrong, [both, plain], "runs") == "It runs on 2 other problems, where padding is 0."
    assert smallest_sizes(wrong, [Draw({"batch": 5, "channels": 4, "padding": 3})], "is right") == ""


# Errors over shapes --------------------------------------------------------------------------------------------------


def test_a_product_whose_sizes_do_not_fit(problems):
    text = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x5 and 4x5)"
    verdict = judged(problems, "d", lambda p: Answer("raised", message=text, line=3, uses=frozenset({"de", "x", "n"})))
    assert verdict.status == "error" and verdict.mistake.id == "shapes_do_not_fit" and verdict.line == 3
    assert verdict.message == (
        f"{text}. A matrix product needs equal inner sizes; here the rows on the left have 5 numbers, and there are "
        "4 rows on the right. Which order, and which `.T`, gives the shape of `d`, (4, 5)? If none does, another value "
        "is needed. "
        "You are given `de` (4, 5), `x` (4, 5)."
    )


# Advisory problems ---------------------------------------------------------------------------------------------------


def first_maximum(p):
    first = torch.nn.functional.one_hot(p.values["x"].max(1).indices, p.values["x"].shape[1])
    return p.upstream["d"] + first * p.upstream["m"]


def shared_maximum(p):
    at_it = (p.values["x"] == p.values["m"]).double()
    return p.upstream["d"] + at_it / at_it.sum(1, keepdim=True) * p.upstream["m"]


def test_an_advisory_problem_never_fails_a_row(with_a_tie):
    assert [with_a_tie[-1].draw.asks(row) for row in ("dx", "dm")] == [True, False]
    verdict = judged(with_a_tie, "x", first_maximum)
    assert verdict.passed and verdict.message is None  # as autograd has it
    verdict = judged(with_a_tie, "x", shared_maximum)
    assert verdict.passed and verdict.message == NOTE
    assert verdict.relative_error < 1e-12  # of the problems that decide


def test_it_never_fails_one_by_an_exception_either(with_a_tie):
    def answer(p):
        return Answer("raised", message="no ties please") if p.draw.note else first_maximum(p)

    verdict = judged(with_a_tie, "x", answer)
    assert verdict.passed and verdict.message == NOTE


# Going round a neighbour ---------------------------------------------------------------------------------------------


def test_a_step_may_go_round_a_neighbour(problems):
    """dx straight from de: right in every network, though dd and dm are not what was handed to it."""

    def answer(p):
        through_d = p.upstream["e"] * p.values["s"]
        at_the_maximum = torch.nn.functional.one_hot(p.values["x"].max(1).indices, p.values["x"].shape[1])
        return through_d - at_the_maximum * through_d.sum(1, keepdim=True)

    verdict = judged(problems, "x", answer, uses=frozenset({"de", "s", "x"}))
    assert verdict.passed and verdict.message == FROM_EARLIER_GRADIENT and verdict.relative_error < 1e-12
    verdict = judged(problems, "x", answer, uses=frozenset({"dd", "dm", "s", "x"}))
    assert not verdict.passed  # it asks for its neighbours: then it is to use them
    verdict = judged(problems, "x", lambda p: answer(p) * 1.001, uses=frozenset({"de", "s", "x"}))
    assert not verdict.passed


def closed(inputs):
    inputs["s"].zero_()


def test_one_network_in_which_the_gradient_is_zero_takes_nothing_from_the_others(problems):
    """It shows nothing by itself: only zeros are right there, and zeros alone are no answer."""
    without_gradient = Problem(forward, inputs, Draw({"rows": 5, "columns": 4}, closed), 9)

    def answer(p):
        through_d = p.upstream["e"] * p.values["s"]
        at_the_maximum = torch.nn.functional.one_hot(p.values["x"].max(1).indices, p.values["x"].shape[1])
        return through_d - at_the_maximum * through_d.sum(1, keepdim=True)

    uses = frozenset({"de", "s", "x"})
    verdict = judged([*problems, without_gradient], "x", answer, uses=uses)
    assert verdict.passed and verdict.message == FROM_EARLIER_GRADIENT
    wrong_there = judged([*problems, without_gradient], "x", lambda p: answer(p) + (p.values["s"] == 0), uses=uses)
    assert not wrong_there.passed
    assert not judged([without_gradient], "x", answer, uses=uses).passed


def test_a_step_may_not_go_round_by_what_is_not_above_it(problems):
    """ds is computed beside dd, not before it: asking for it is no excuse for leaving out de."""

    def from_the_loss(p):
        return p.reference_from("d", set())

    assert not judged(problems, "d", from_the_loss, uses=frozenset({"ds", "s"})).passed


def shifted(t):
    """As batch norm does: whatever b adds is taken out again, so the whole network's gradient of b is zero."""
    t.y = t.x + t.b
    t.m = t.y.mean(0)
    t.d = t.y - t.m
    t.loss = (t.d**3).mean()


@pytest.fixture(scope="module")
def without_a_bias() -> list[Problem]:
    def with_b(generator, rows, columns):
        return inputs(generator, rows, columns) | {"b": torch.randn(columns, generator=generator)}

    draws = [Draw({"rows": 4, "columns": 5}), Draw({"rows": 6, "columns": 3})]
    return [Problem(shifted, with_b, draw, seed) for seed, draw in enumerate(draws)]


def test_zeros_do_not_pass_where_the_whole_network_s_gradient_is_zero(without_a_bias):
    assert all(float(problem.graph.chain(problem.ends)["b"].abs().max()) < 1e-12 for problem in without_a_bias)
    verdict = judged(without_a_bias, "b", lambda p: torch.zeros(len(p.values["b"])), uses=frozenset({"dy"}))
    assert verdict.status == "failed" and verdict.mistake.id == "zeros"


def summed(t):
    """The loss is a plain sum: every upstream gradient of `a` is one, whatever a step makes of it."""
    t.z = t.x * t.w
    t.a = torch.tanh(t.z)
    t.loss = t.a.sum()


@pytest.fixture(scope="module")
def behind_a_sum() -> list[Problem]:
    def with_w(generator, rows, columns):
        return inputs(generator, rows, columns) | {"w": torch.randn(rows, columns, generator=generator)}

    draws = [Draw({"rows": 4, "columns": 5}), Draw({"rows": 6, "columns": 3})]
    return [Problem(summed, with_w, draw, seed) for seed, draw in enumerate(draws)]


@pytest.mark.parametrize(("name", "uses"), [("z", {"a"}), ("x", {"a", "w"}), ("w", {"a", "x"})])
def test_an_upstream_gradient_that_happens_to_be_one_may_not_be_left_out(behind_a_sum, name, uses):
    def without_da(p):
        through_tanh = 1 - p.values["a"] ** 2
        return through_tanh * {"z": 1, "x": p.values["w"], "w": p.values["x"]}[name]

    verdict = judged(behind_a_sum, name, without_da, uses=frozenset(uses))
    assert verdict.status == "failed" and verdict.mistake.id == "upstream_left_out"
    assert verdict.message.startswith(f"Your `d{name}` leaves out `da`. In this network that is all ones")
    fed = judged(behind_a_sum, name, lambda p: without_da(p) * p.upstream["a"], uses=frozenset({*uses, "da"}))
    assert fed.passed  # `dx` from `da` skips `dz`, and that is no ones


# The student's own chain ---------------------------------------------------------------------------------------------

TARGETS = {"de": "e", "ds": "s", "dd": "d", "dm": "m", "dx": "x"}


@pytest.fixture(scope="module")
def whole() -> Problem:
    return Problem(forward, inputs, Draw(), 5, random_upstream=False)


def chained(problem: Problem, wrong: dict[str, Any] | None = None, own: dict[str, bool] | None = None) -> Any:
    answers = {step: Answer("returned", problem.chain[target]) for step, target in TARGETS.items()}
    lines = {**dict.fromkeys(TARGETS, True), **(own or {})}
    return chain_verdicts(problem, TARGETS, {**answers, **(wrong or {})}, lines)


def test_a_wrong_step_is_named_by_those_below_it(whole):
    spoiled = {s: Answer("returned", whole.chain[TARGETS[s]] * 2) for s in ("dd", "dm", "dx")}
    verdicts = chained(whole, spoiled, {"dd": False})
    assert verdicts == {
        "de": ("passed", []),
        "ds": ("passed", []),
        "dd": ("failed", []),
        "dm": ("failed", ["dd"]),
        "dx": ("failed", ["dd"]),
    }


def test_the_nearest_culprit_comes_first(whole):
    spoiled = {step: Answer("returned", torch.zeros(4, 5)) for step in ("de", "dd", "dm", "dx")}
    verdicts = chained(whole, spoiled, {"de": False, "dd": False, "dm": False})
    assert verdicts["dx"] == ("failed", ["dm", "dd", "de"])
    assert verdicts["dd"] == ("failed", ["de"])


def test_what_was_not_run_is_skipped(whole):
    verdicts = chained(whole, {"dd": Answer("todo"), "dm": Answer("skipped"), "dx": Answer("skipped")}, {"dd": False})
    assert verdicts["dd"] == ("skipped", [])
    assert verdicts["dm"] == verdicts["dx"] == ("skipped", ["dd"])


def test_what_gave_no_tensor_failed(whole):
    verdicts = chained(whole, {"dx": Answer("raised", message="IndexError"), "dm": Answer("returned", kind="None")})
    assert verdicts["dx"] == verdicts["dm"] == ("failed", [])


def test_a_changed_argument_fails_its_chain(whole):
    verdicts = chained(whole, {"dx": Answer("returned", whole.chain["x"], changed=("dd",))})
    assert verdicts["dx"] == ("failed", [])


def test_below_a_float32_step_the_chain_is_judged_as_float32(whole):
    coarse = {s: Answer("returned", whole.chain[TARGETS[s]] * (1 + 1e-7)) for s in ("dm", "dx")}
    assert chained(whole, coarse)["dx"][0] == "failed"
    coarse["dd"] = Answer("returned", whole.chain["d"].float())
    verdicts = chained(whole, coarse)
    assert verdicts["dd"] == verdicts["dm"] == verdicts["dx"] == ("passed", [])


def test_a_shape_that_is_wrong_on_some_problems_is_named_with_its_problem(problems):
    verdict = judged(problems, "d", lambda p: torch.arange(20.0).view(4, 5).double().sin())
    assert verdict.status == "shape"
    assert verdict.message.startswith("With rows 6, columns 3: the shape is (4, 5); expected (6, 3)")
