"""A search for a slip ends after a number of changed functions that depends on the code alone, not on the machine."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from grader.calling import target
from grader.calling.answer import Answer
from grader.calling.protocol import CallRequest
from grader.calling.target import Call
from grader.comparison.trees import agreement
from grader.reference.problem import Draw, Problem
from grader.verdict.explain.checks import by_edits, explain_check
from grader.verdict.explain.edits.changed_functions import Edit
from grader.verdict.explain.edits.search import BATCH, MAX_OPERATORS, OPERATORS_OF_A_CALL, changes_tried
from grader.verdict.judge.checks import CheckFailed, ScenarioResult

HANGS = Answer("timeout", message="It did not return within 10 seconds.")


def inputs(generator, rows=4):
    return {"x": torch.randn(rows, generator=generator)}


def forward(t):
    t.y = t.x * t.x
    t.loss = t.y.sum()


@pytest.fixture(scope="module")
def cases() -> list[tuple[Problem, Answer]]:
    problems = [Problem(forward, inputs, Draw({"rows": rows}), rows) for rows in (3, 5)]
    return [(problem, Answer("returned", torch.zeros(3))) for problem in problems]


class Changed:
    """Changed functions of which number `right` is right, and number `hangs` does not return."""

    def __init__(self, operators: int = 0, right: int | None = None, hangs: int | None = None) -> None:
        self._operators, self._right, self._hangs = operators, right, hangs
        self.tried: list[int] = []

    def operators(self, step: str, problem: Problem) -> int:
        return self._operators

    def answers(self, step: str, problem: Problem, numbers: Any) -> dict[int, Answer]:
        self.tried += [number for number in numbers if number not in self.tried]
        wrong = Answer("returned", torch.zeros(3))
        right = Answer("returned", problem.reference("x"))
        return {n: HANGS if n == self._hangs else right if n == self._right else wrong for n in numbers}


def first_right(cases, changed):
    return next((n for n, is_right in changes_tried(["dx"], cases, changed, range(300)) if is_right), None)


def test_functions_that_do_much_are_changed_less_often(cases):
    for operators in [0, 900, MAX_OPERATORS]:
        starts = range(BATCH, 300, BATCH)
        batches = 1 + sum(start * (OPERATORS_OF_A_CALL + operators) <= MAX_OPERATORS for start in starts)
        tried, changed = min(300, batches * BATCH), Changed(operators)
        assert first_right(cases, changed) is None and len(changed.tried) == tried
        assert first_right(cases, Changed(operators, right=tried)) is None
        assert first_right(cases, Changed(operators, right=tried - 1)) == tried - 1


def test_a_changed_function_that_hangs_ends_the_search(cases):
    changed = Changed(hangs=3)
    assert first_right(cases, changed) is None and len(changed.tried) == BATCH
    assert first_right(cases, Changed(hangs=3, right=5)) == 5


class Target(target.Target):
    """A changed function: each call of it dispatches so many operators, and gives no right result."""

    def __init__(self, operators: int) -> None:
        super().__init__()
        self.calls = [Call("f", {})]
        self._answer = Answer("returned", operators=operators)

    def perform(self, request: CallRequest) -> Answer:
        return self._answer


@pytest.mark.parametrize(
    ("operators", "status", "tried"),
    [
        (0, "failed", 1000),
        (MAX_OPERATORS // 10 - OPERATORS_OF_A_CALL, "failed", 11),
        (2 * MAX_OPERATORS, "failed", 1),
        (0, "timeout", 1),
    ],
)
def test_a_check_is_run_again_on_so_many_changed_functions(operators, status, tried):
    ran = []

    def test(check: Any) -> None:
        check.on.call("f")
        ran.append(check)
        raise CheckFailed("wrong", status)

    trials = SimpleNamespace(
        contents=lambda function: None,
        edits=lambda function, known: [Edit("f", "minus_too_many", 1)] * 1000,
        target=lambda function, number: Target(operators),
    )
    item = SimpleNamespace(function="f", name="f")
    check: Any = SimpleNamespace(
        on=SimpleNamespace(calls=[Call("f", {})], returned_values=[]),
        student=SimpleNamespace(trials=trials, interrupt=None, right_rows=frozenset()),
        item=item,
        lesson=SimpleNamespace(small_numbers=(), checks=(), items=[item], mistakes=(), exercise=Path("no_such_lesson")),
        again_on=lambda target: SimpleNamespace(on=target, compared_bits=0),
    )
    failed = CheckFailed("wrong", "failed")
    assert explain_check({"f": test}, check, failed).mistake is None
    assert len(ran) == tried
    check.on.calls.clear()  # a check that calls no function is about gradients
    assert explain_check({"f": test}, check, failed).mistake is None and len(ran) == tried


@pytest.mark.parametrize(
    ("own", "changed", "right", "calls"),
    [
        ((False, 1.0), (False, 2.0), (True, 3.0), 2),  # still wrong where the student's own was wrong first
        ((False, 1.0), (True, 2.0), (True, 3.0), 3),  # a scenario may ignore the number next to a word
        (1.0, 2.0, 3.0, 2),
        (1.0, 3.0, 3.0, 3),
        (1.0, 2.0, 1.0, 3),  # no call shows what is wrong
    ],
)
def test_a_changed_function_is_run_as_far_as_it_may_be_right(own, changed, right, calls):
    made = []

    class Answering(Target):
        def perform(self, request: CallRequest) -> Answer:
            made.append(request.name)
            return Answer("returned", value=right if len(made) == 1 else changed)

    def test(check: Any) -> None:
        for _ in range(3):
            check.on.call("f")
        raise CheckFailed("wrong", "failed")

    def returned(*values: Any) -> Any:
        return SimpleNamespace(calls=[Call("f", {})], returned_values=[("f", value) for value in values])

    trials = SimpleNamespace(
        contents=lambda function: None,
        edits=lambda function, known: [Edit("f", "minus_too_many", 1)],
        target=lambda function, number: Answering(0),
    )
    check: Any = SimpleNamespace(
        on=returned(right, own, right),
        student=SimpleNamespace(trials=trials, interrupt=None),
        item=SimpleNamespace(function="f", name="f"),
        lesson=SimpleNamespace(small_numbers=(), checks=(), mistakes=(), exercise=Path("no_such_lesson")),
        reference=lambda assertion, at: (None, returned(right, right, right)),
        again_on=lambda target: SimpleNamespace(on=target, compared_bits=0),
    )
    result = ScenarioResult({}, 1.0, 2.0, agreement(1.0, 2.0))
    failed = CheckFailed("wrong", "failed", compared=(SimpleNamespace(), [result]))
    assert by_edits({"f": test}, check, failed, "f") is None and len(made) == calls
