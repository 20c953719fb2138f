"""`&` for a product of tensors and a function of `math` for one of torch.

lesson: 03
dnorm_logits: error | `&` and `|` combine truth values or integers, bit by bit.
dprobs: error | `math.log`, `math.sqrt` and `float()` take a single number, and this tensor has several elements.
"""

import math


def dnorm_logits(dcounts, counts):
    return (counts > 0) & dcounts


def dprobs(dlogprobs, probs):
    return dlogprobs * math.exp(-math.log(probs))
