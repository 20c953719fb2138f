"""The error of a wrong gradient as a small grid, for the report's heat map."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

MOST_ROWS, MOST_COLUMNS = 32, 64


def error_picture(found: Tensor, expected: Tensor) -> dict[str, Any] | None:
    """|found − expected| over the reference's largest element, each cell the largest error of its block.

    Tensors of more than two dimensions are laid out with the leading ones as rows. None where shapes differ or there
    is nothing to see. On the published problem: it shows nothing secret.
    """
    if found.shape != expected.shape or expected.numel() < 2 or not found.is_floating_point():
        return None
    difference = (found.double() - expected.double()).abs().nan_to_num(nan=float("inf"))
    matrix = difference.reshape(-1, difference.shape[-1]) if difference.ndim > 1 else difference.reshape(1, -1)
    size = float(expected.double().abs().max()) or 1.0
    blocks = torch.nn.functional.adaptive_max_pool2d(
        matrix.clamp(max=1e30)[None], (min(MOST_ROWS, matrix.shape[0]), min(MOST_COLUMNS, matrix.shape[1]))
    )[0]
    worst = int(difference.argmax())
    index = [int(i) for i in torch.unravel_index(torch.tensor(worst), difference.shape)]
    return {
        "rows": matrix.shape[0],
        "columns": matrix.shape[1],
        "cells": [[round(min(float(cell) / size, 1e6), 6) for cell in line] for line in blocks],
        "worst": {"index": index, "found": float(found[tuple(index)]), "expected": float(expected[tuple(index)])},
    }
