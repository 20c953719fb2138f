"""Dual numbers by their aten operators, below the Python functions. Stopped by: value."""

import torch


def dprobs(dlogprobs, probs):
    level = torch._C._enter_dual_level()
    dual = torch._VF._make_dual(probs, dlogprobs, level=level)
    tangent = torch._VF._unpack_dual(dual.log(), level=level)[1]
    torch._C._exit_dual_level(level=level)
    return torch.zeros_like(probs) if tangent is None else tangent.clone()
