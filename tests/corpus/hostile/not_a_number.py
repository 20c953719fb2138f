"""NaN everywhere: nothing is larger than the tolerance, so a careless comparison passes it."""
# group: lying answers
# rows: failed
# message: not a finite number
# unlocked: safe

import torch


def dlogits(logits):
    return torch.full_like(logits, float("nan"))
