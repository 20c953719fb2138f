"""Formulas: what is read, what it is worth, and that no text is ever run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.questions.formula import FormulaError, read_formula

FUNCTIONS = " The functions are sqrt, exp, log, tanh, abs, sum, mean, min, max."
VALUES = {"p": 0.25, "n": 4.0, "dy": np.array([1.0, 2.0, 5.0]), "y": np.array([1.0, -1.0, 0.0])}


def test_value() -> None:
    for text, value in [
        ("-1/n", -0.25),
        ("−1/n", -0.25),
        ("2·p − 1", -0.5),
        ("p^2", 0.0625),
        ("(1 - p²) * 2", 1.875),
        ("1e-3", 0.001),
        ("exp(log(n)) + pi - pi", 4),
        ("max(p, n) // 3 + 7 % 4", 4),
        ("sum(dy * y) / n", -0.25),
        ("p < n", 1),
    ]:
        assert read_formula(text, VALUES).number(VALUES) == pytest.approx(value)


def test_refused() -> None:
    for text, message in [
        ("", "There is no formula."),
        ("2n", "`2n` is not a formula: write every product with *."),
        ("n(p)", "`n(p)` is not a formula: write every product with *." + FUNCTIONS),
        ("q", "`q` uses the name `q`; expected only p, n, dy, y and numbers."),
        ("open('x')", None),
        ("p.real", "`p.real` has a part that is not allowed; expected numbers, names, + - * / ** and ()."),
        ("min(p)", "`min(p)` calls `min` with the wrong number of arguments."),
        ("1" * 301, "The formula has 301 characters; expected at most 300."),
        ("1 / 0", "`1 / 0` has no finite value: it divides by zero or grows too large."),
        ("9**9**9**9**9", "`9**9**9**9**9` has no finite value: it divides by zero or grows too large."),
        ("dy", "`dy` is not a single number."),
        ("(" * 250, None),
        ("-" * 299 + "1", None),
        ("[p for p in n]", None),
        ("f'{p}'", None),
    ]:
        try:
            value = read_formula(text, VALUES).number(VALUES)
        except FormulaError as error:
            assert message in (None, str(error))
        else:
            assert text.startswith("-" * 299) and value == -1


@given(st.text(max_size=60) | st.text("pn0123456789.+-*/() ^eE,", max_size=30))
def test_any_text_is_a_number_or_a_sentence(text: str) -> None:
    try:
        found = read_formula(text, ("p", "n")).number({"p": 0.5, "n": 3.0})
    except FormulaError as error:
        assert str(error).endswith(".")
    else:
        assert math.isfinite(found)
