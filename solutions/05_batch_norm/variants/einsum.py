"""Right, with einsum: every sum names its axes (n examples, h hidden units)."""

import torch


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    scale = (bngain * bnvar_inv)[0]
    total = torch.einsum("nh->h", dhpreact)
    along = torch.einsum("nh,nh->h", dhpreact, bnraw)
    return torch.einsum("h,nh->nh", scale, dhpreact - total / n - torch.einsum("nh,h->nh", bnraw, along) / (n - 1))


def dh(dh_bn, gamma, h_norm, h_var, N):
    dh_norm = torch.einsum("nh,h->nh", dh_bn, gamma)
    total = torch.einsum("nh->h", dh_norm)
    along = torch.einsum("nh,nh->h", dh_norm, h_norm)
    return (dh_norm - (total + torch.einsum("nh,h->nh", h_norm, along)) / N) * torch.rsqrt(h_var + 1e-5)
