"""Differences of the forward pass instead of a derivative: right to eleven digits, and not the chain rule."""
# group: derivatives by other means
# rows: forbidden
# rows of in_one_go: forbidden
# message: (numerical differentiation), so this gradient is not counted
# stopped from: none
# unlocked: safe

import torch
import torch.nn.functional as F


def dlogits(logits, Yb, n):
    gradient, step = torch.zeros_like(logits), 1e-3
    for column in range(logits.shape[1]):
        total = 0.0
        for factor, times in ((1 / 280, -4), (-4 / 105, -3), (1 / 5, -2), (-4 / 5, -1)):
            for sign in (1, -1):
                moved = logits.clone()
                moved[:, column] += sign * times * step
                total += sign * factor * F.cross_entropy(moved, Yb, reduction="none")
        gradient[:, column] = total / step / n
    return gradient
