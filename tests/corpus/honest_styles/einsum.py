"""Everything by Einstein summation."""

import torch


def dW2(dlogits, h):
    return torch.einsum("ij,ik->jk", h, dlogits)


def dh(dlogits, W2):
    return torch.einsum("ik,jk->ij", dlogits, W2)


def db2(dlogits):
    return torch.einsum("ik->k", dlogits)


def dbngain(dhpreact, bnraw):
    return torch.einsum("ij,ij->j", dhpreact, bnraw)[None, :]


def dcounts_sum_inv(dprobs, counts):
    return torch.tensordot(dprobs * counts, torch.ones(counts.shape[1], 1, dtype=counts.dtype), dims=1)
