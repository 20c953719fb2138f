from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor
from tqdm import trange

from utils.ops import softmax


def dlogits(logits: Float[Tensor, "batch vocab"], Yb: Int[Tensor, "batch"], n: int) -> Float[Tensor, "batch vocab"]:
    gradient = softmax(logits)
    for row in trange(n):
        gradient[row, Yb[row]] -= 1
    return gradient / n
