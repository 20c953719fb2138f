"""Right, by small steps: back through every intermediate in turn, the one expression left unwritten."""

import torch


def dhprebn(dhpreact, bngain, bndiff, bnvar, bnvar_inv, n):
    dbnraw = bngain * dhpreact
    dbndiff = bnvar_inv * dbnraw
    dbnvar_inv = (bndiff * dbnraw).sum(0, keepdim=True)
    dbnvar = -0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv
    dbndiff2 = torch.ones_like(bndiff) / (n - 1) * dbnvar
    dbndiff += 2 * bndiff * dbndiff2
    dbnmeani = -dbndiff.sum(0, keepdim=True)
    return dbndiff + torch.ones_like(bndiff) / n * dbnmeani


def dh(dh_bn, gamma, h, h_mean, h_var, N):
    dxhat = dh_bn * gamma
    dvar = (dxhat * (h - h_mean) * -0.5 * (h_var + 1e-5) ** -1.5).sum(0)
    dmean = -dxhat.sum(0) / torch.sqrt(h_var + 1e-5)
    return dxhat / torch.sqrt(h_var + 1e-5) + dvar * 2 * (h - h_mean) / N + dmean / N
