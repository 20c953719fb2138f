"""Helper functions that call one another."""

import torch


def unbroadcast(gradient, shape):
    """Sum over the axes that broadcasting stretched."""
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis, keepdim=True)
    return gradient


def of_product(upstream, other, shape):
    return unbroadcast(upstream * other, shape)


def dcounts_sum_inv(dprobs, counts, counts_sum_inv):
    return of_product(dprobs, counts, counts_sum_inv.shape)


def dbngain(dhpreact, bnraw, bngain):
    return of_product(dhpreact, bnraw, bngain.shape)


def dlogit_maxes(dnorm_logits, logit_maxes):
    return unbroadcast(-dnorm_logits, logit_maxes.shape)


def dh(dlogits, W2):
    return dlogits @ transpose(W2)


def transpose(matrix: torch.Tensor) -> torch.Tensor:
    return matrix.T
