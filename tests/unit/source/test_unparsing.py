"""Code written from a syntax tree is the same program, and reads as a person writes it."""

from __future__ import annotations

import ast

from grader.source.unparsing import code_of

USUAL = {
    "v = (var + 1e-5)**-0.5": "v = (var + 1e-5) ** -0.5",
    "v = var**(-0.5) * 1e-08": "v = var ** -0.5 * 1e-8",
    "v = a ** (-0.5) ** (-2)": "v = a ** (-0.5) ** -2",
    "v = a ** (-n)": "v = a ** (-n)",
    "v = a ** (-2)[0]": "v = a ** (-2)[0]",
    "v = '** (-1) 1e-05', 2e-10": "v = ('** (-1) 1e-05', 2e-10)",
}


def test_powers_and_small_numbers():
    assert {text: code_of(ast.parse(text)) for text in USUAL} == USUAL
