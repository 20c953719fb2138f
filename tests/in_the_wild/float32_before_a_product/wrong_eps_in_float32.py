"""The epsilon is forgotten in a product that runs in float32 only: the tolerance is still small enough.

lesson: 03
dbnvar: failed | The small number that is added to the variance is lost.
"""

import torch


def dbnvar(dbnvar_inv, bnvar):
    one = torch.ones(1, 1, dtype=torch.float32)
    return one @ (-0.5 * bnvar**-1.5 * dbnvar_inv)
