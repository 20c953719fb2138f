"""Lesson 04: the gradient of the cross-entropy loss, from the loss to the logits in one go.

In lesson 03 you walked from `loss` to `logits` in eight steps. Work the derivative out on paper first (README.md begins
it); what is left is so short that it fits on one line. Check with

    dojo check 04

Two rows are graded: `dlogits` is about the numbers, `in_one_go` counts the tensor operations that you spend on them.
"""

import torch
import torch.nn.functional as F


def dlogits(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    gradient[torch.arange(n), Yb] -= 1
    return gradient / n
