"""Plain numbers for the pictures of a report: an error as a small grid, and a gradient."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.comparison.tensors import index_at

MAX_PICTURE_ROWS, MAX_PICTURE_COLUMNS = 32, 64
MAX_ELEMENTS_LISTED = 5


def error_picture(found: Tensor, expected: Tensor) -> dict[str, Any] | None:
    """|found − expected| over the reference's largest element, each cell the largest error of its block.

    Tensors of more than two dimensions are laid out with the leading ones as rows. `worst` are the worst elements, the
    worst first. None where shapes differ or there is nothing to see. On the published problem: it shows nothing secret.
    """
    if found.shape != expected.shape or expected.numel() < 2 or not found.is_floating_point():
        return None
    difference = (found.double() - expected.double()).abs().nan_to_num(nan=float("inf"))
    matrix = difference.reshape(-1, difference.shape[-1]) if difference.ndim > 1 else difference.reshape(1, -1)
    size = float(expected.double().abs().max()) or 1.0
    blocks = torch.nn.functional.adaptive_max_pool2d(
        matrix.clamp(max=1e30)[None],
        (min(MAX_PICTURE_ROWS, matrix.shape[0]), min(MAX_PICTURE_COLUMNS, matrix.shape[1])),
    )[0]
    flat = difference.flatten()
    places = [place for place in flat.topk(min(MAX_ELEMENTS_LISTED, flat.numel())).indices if flat[place] > 0]
    worst = [index_at(int(place), difference.shape) for place in places]
    return {
        "rows": matrix.shape[0],
        "columns": matrix.shape[1],
        "cells": (blocks / size).clamp(max=1e6).round(decimals=6).tolist(),
        "worst": [{"index": list(at), "found": float(found[at]), "expected": float(expected[at])} for at in worst],
    }


def values_picture(found: Tensor, expected: Tensor) -> dict[str, list[list[float]]] | None:
    """Both matrices in full, to six digits. None where they are large, or no finite matrices of one shape.

    On the published problem: it shows nothing secret.
    """
    small = expected.ndim == 2 and expected.shape[0] <= MAX_PICTURE_ROWS and expected.shape[1] <= MAX_PICTURE_COLUMNS
    if not small or found.shape != expected.shape or not expected.numel() or not bool(torch.isfinite(found).all()):
        return None
    written = ([[float(f"{value:.6g}") for value in row] for row in each.tolist()] for each in (found, expected))
    return dict(zip(("found", "expected"), written, strict=True))
