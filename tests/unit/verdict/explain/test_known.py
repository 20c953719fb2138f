"""Known mistakes are recognised by digests of results, in grading and in a student's own check."""

from __future__ import annotations

import json
import warnings
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.comparison.trees import agreement
from grader.verdict.explain.known import known_at_home, known_mistake_of_check, result_digest
from grader.verdict.judge.checks import CheckFailed, ScenarioResult

NUMBERS = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=20)


@settings(derandomize=True)  # one digest in some thousands changes with the last digit of a number
@given(NUMBERS, st.sampled_from([1e-14, -1e-14]))
def test_rounding_does_not_change_a_digest(values, share):
    tensor = torch.tensor(values, dtype=torch.float64)
    assert result_digest({"b": tensor, "a": [1, "x"]}) == result_digest({"a": (1.0, "x"), "b": tensor * (1 + share)})


def test_a_number_of_python_has_all_its_digits():
    assert result_digest(0.1) == result_digest(torch.tensor(0.1, dtype=torch.float64))
    with warnings.catch_warnings(action="error"):  # a quotient that overflows
        assert result_digest(torch.tensor([torch.inf, 1e-300], dtype=torch.float64))


@given(NUMBERS)
def test_a_difference_of_a_millionth_changes_it(values):
    tensor = torch.tensor([*values, 1e6], dtype=torch.float64)
    other = tensor.clone()
    other[0] += 2.0
    assert result_digest(tensor) != result_digest(other)
    assert result_digest(tensor) != result_digest(tensor[None]) != result_digest([tensor])


def test_a_file_that_is_damaged_or_missing_names_nothing(tmp_path):
    (tmp_path / "damaged").write_text('[{"id": 1}')
    (tmp_path / "other").write_text('{"id": 1}')
    assert [list(known_at_home(tmp_path / name)) for name in ("damaged", "other", "none")] == [[], [], []]


WRONG = torch.tensor([2.0, 3.0, 5.0], dtype=torch.float64)


@pytest.mark.parametrize(
    ("found", "right_rows", "messages", "said"),
    [
        (WRONG, {"third"}, ["Half of it."], "Half of it."),
        (WRONG, {"third"}, ["Half of it.", "A mean."], "Half of it. Or: A mean."),
        (WRONG, {"third"}, ["Half of it.", "A mean.", "A sum."], None),
        (WRONG, {"second"}, ["Half of it."], None),  # the mistake would make it wrong
        (WRONG + 1e-3, {"third"}, ["Half of it."], None),
        (WRONG * 2 + 1e-12, {"third"}, ["Half of it."], None),  # nearly right
    ],
)
def test_a_mistake_is_named_that_gives_the_same_and_spoils_no_right_row(tmp_path, found, right_rows, messages, said):
    expected, results = WRONG * 2, {"first": [result_digest(WRONG)], "second": []}
    known = [{"id": "half", "message": each, "needs": [], "results": results} for each in messages]
    nearly = {**known[0], "results": {"first": [result_digest(expected)]}}
    (tmp_path / ".known").write_text(json.dumps([*known, nearly]))
    check: Any = SimpleNamespace(
        item=SimpleNamespace(name="first", function="f"),
        lesson=SimpleNamespace(mistakes=(), exercise=tmp_path, checks=[SimpleNamespace(name="second", function="f")]),
        student=SimpleNamespace(trials=None, right_rows=frozenset(right_rows)),
    )
    result = ScenarioResult({}, found, expected, agreement(found, expected))
    explanation = known_mistake_of_check(check, CheckFailed("wrong", compared=(None, [result])))
    assert (explanation and explanation.message) == said
