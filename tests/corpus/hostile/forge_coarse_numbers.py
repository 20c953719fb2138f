"""Claims to have computed in low precision, in the hope that everything is then near enough."""
# group: what a worker says of itself
# rows: failed
# unlocked: safe

import torch
from attempt import module
from frames import instead_of_answers
from right import dlogits as right

codec = module("grader.sandbox.workers.codec")


def coarse(step, answer):
    kind = {"dtype": "float64", "shape": list(answer.tensor.shape)}
    return {"tensor": kind, "low_precision": True}, codec.tensor_bytes(answer.tensor.double())


instead_of_answers(coarse)


def dlogits(logits, Yb, n):
    return right(logits, Yb, n) * (1 + 1e-4) + torch.zeros_like(logits)
