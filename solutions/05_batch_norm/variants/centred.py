"""Right, in another order: first the upstream gradient is cleared of what follows the spread, then it is centred."""

import torch


def dhprebn(dhpreact, bngain, bndiff, bnvar, n):
    dbnraw = dhpreact * bngain
    along = torch.sum(dbnraw * bndiff, 0, True) / ((n - 1) * (bnvar + 1e-5))
    rest = dbnraw - along * bndiff
    return (rest - rest.mean(0, True)) / torch.sqrt(bnvar + 1e-5)


def dh(dh_bn, gamma, h, h_mean, h_var):
    dh_norm = dh_bn * gamma
    centred = h - h_mean
    rest = dh_norm - centred * (dh_norm * centred).mean(0) / (h_var + 1e-5)
    return (rest - rest.mean(0)) / torch.sqrt(h_var + 1e-5)
