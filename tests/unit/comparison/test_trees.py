"""How a sentence shows what a student returned: in few characters, whatever it is."""

from __future__ import annotations

import numpy
import pytest
import torch

from grader.comparison.trees import (
    MAX_KEYS,
    MAX_VALUE_CHARACTERS,
    SMALLEST_NUMBER_DESCRIBED_BY_SIZE,
    agreement,
    keys_in_words,
    shown,
)


def test_a_value_in_a_sentence():
    for value, text in [
        (torch.zeros(2, 3), "a tensor of shape (2, 3)"),
        (numpy.zeros((4,)), "a tensor of shape (4,)"),
        (torch.tensor(0.25), "0.25"),
        (torch.tensor(True), "True"),
        (numpy.float64(1 / 3), "0.333333333"),
        (None, "None"),
        (-SMALLEST_NUMBER_DESCRIBED_BY_SIZE + 1, str(-SMALLEST_NUMBER_DESCRIBED_BY_SIZE + 1)),
        (1 << 5000, "a whole number of 5001 bits"),
        (float("nan"), "nan"),
        (-0.0, "0"),
        ([1, 2], "a list of 2"),
        ((), "an empty tuple"),
        ({"a": 1}, "a dict"),
        ("x", "'x'"),
    ]:
        assert shown(value) == text


def test_numbers_that_print_alike_are_told_apart():
    (finding,) = agreement(0.1 + 0.2, 0.3, 1e-18).findings
    assert finding.message == "The result is 0.30000000000000004; expected 0.3."


@pytest.mark.parametrize("value", ["x" * 10_000, b"\0" * 10_000])
def test_a_long_text_is_cut(value):
    text = shown(value)
    assert len(text) == MAX_VALUE_CHARACTERS + 3 and text.endswith("...")


def test_the_first_keys_are_named_and_the_others_counted():
    assert keys_in_words(["a", 2, None]) == "a, 2, None"
    assert keys_in_words(map(str, range(MAX_KEYS + 2))).endswith(f"{MAX_KEYS - 1} and 2 more")


def test_numbers_that_are_not_finite_have_to_be_equal_and_the_others_close():
    infinite, nan = float("inf"), float("nan")
    expected = torch.tensor([1.0, -infinite, nan, 1e3]).double()

    def message(*numbers):
        return [finding.message for finding in agreement(torch.tensor(numbers).double(), expected).findings]

    assert message(1 + 1e-13, -infinite, nan, 1e3 - 1e-10) == []
    assert message(1.0, infinite, nan, 1e3) == ["The result at [1] is inf, not a finite number."]
    assert message(1.0, -infinite, infinite, 1e3) == ["The result at [1] is -inf, not a finite number."]
    (wrong,) = message(1.0, -infinite, nan, 2e3)
    assert wrong.startswith("The result is wrong by 1 of its size. Worst element [3]: found 2000, expected 1000.")
    (not_infinite,) = message(1.0, 7.0, nan, 1e3)
    assert not_infinite.startswith("The result is wrong. Worst element [1]: found 7, expected -inf.")
