"""The gradient has the wrong sign, in a product that runs in float32 only.

lesson: 02
dW2: failed | sign
"""

import torch


def dW2(dlogits, h_bn):
    return -torch.ones(h_bn.shape[0], dtype=torch.float32).diag().mm(h_bn.float()).T @ dlogits
