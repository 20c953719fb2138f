"""How a sentence shows what a student returned: in few characters, whatever it is."""

from __future__ import annotations

import numpy
import pytest
import torch

from grader.comparison.trees import (
    MAX_KEYS,
    MAX_VALUE_CHARACTERS,
    SMALLEST_NUMBER_DESCRIBED_BY_SIZE,
    keys_in_words,
    shown,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (torch.zeros(2, 3), "a tensor of shape (2, 3)"),
        (numpy.zeros((4,)), "a tensor of shape (4,)"),
        (torch.tensor(0.25), "0.25"),
        (torch.tensor(True), "True"),
        (numpy.float64(1 / 3), "0.333333333"),
        (None, "None"),
        (-SMALLEST_NUMBER_DESCRIBED_BY_SIZE + 1, str(-SMALLEST_NUMBER_DESCRIBED_BY_SIZE + 1)),
        (1 << 5000, "a whole number of 5001 bits"),
        (float("nan"), "nan"),
        ([1, 2], "a list of 2"),
        ((), "an empty tuple"),
        ({"a": 1}, "a dict"),
        ("x", "'x'"),
    ],
    ids=str,
)
def test_a_value_in_a_sentence(value, text):
    assert shown(value) == text


@pytest.mark.parametrize("value", ["x" * 10_000, b"\0" * 10_000])
def test_a_long_text_is_cut(value):
    text = shown(value)
    assert len(text) == MAX_VALUE_CHARACTERS + 3 and text.endswith("...")


def test_the_first_keys_are_named_and_the_others_counted():
    assert keys_in_words(["a", 2, None]) == "a, 2, None"
    assert keys_in_words(map(str, range(MAX_KEYS + 2))).endswith(f"{MAX_KEYS - 1} and 2 more")
