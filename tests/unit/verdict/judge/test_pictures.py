"""What a report draws of a student's answer, as plain numbers."""

from __future__ import annotations

import torch

from grader.verdict.judge.pictures import error_picture, values_picture


def test_the_picture_of_an_error_has_its_worst_elements() -> None:
    expected = torch.tensor([[1.0, -2.0], [0.0, 4.0]])
    picture = error_picture(expected + torch.tensor([[0.0, 1.0], [-2.0, 0.0]]), expected)
    assert picture == {
        "rows": 2,
        "columns": 2,
        "cells": [[0.0, 0.25], [0.5, 0.0]],
        "worst": [
            {"index": [1, 0], "found": -2.0, "expected": 0.0},
            {"index": [0, 1], "found": -1.0, "expected": -2.0},
        ],
    }


def test_both_matrices_in_full() -> None:
    found, expected = torch.tensor([[0.1234567, 1.0]]), torch.tensor([[0.5, -1.0]])
    assert values_picture(found, expected) == {"found": [[0.123457, 1.0]], "expected": [[0.5, -1.0]]}


def test_no_picture_of_other_values() -> None:
    for found, expected in [
        (torch.zeros(3), torch.zeros(3)),
        (torch.zeros(2, 3), torch.zeros(3, 2)),
        (torch.tensor([[float("nan")]]), torch.zeros(1, 1)),
        (torch.tensor([[float("inf")]]), torch.zeros(1, 1)),
        (torch.zeros(33, 2), torch.zeros(33, 2)),
        (torch.zeros(2, 65), torch.zeros(2, 65)),
        (torch.zeros(0, 2), torch.zeros(0, 2)),
    ]:
        assert values_picture(found, expected) is None
