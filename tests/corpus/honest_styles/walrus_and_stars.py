"""Assignment expressions, *args, **kwargs, keyword-only parameters."""

import torch


def total(*parts, **named):
    return sum(parts) + sum(named.values())


def dcounts(dprobs, dcounts_sum, *, counts_sum_inv, counts):
    return total(counts_sum_inv * dprobs, second=torch.ones_like(counts) * dcounts_sum)


def dhpreact(dh, h):
    return (slope := 1 - h**2) * dh if (rows := h.shape[0]) and rows > 0 else slope


def dlogits(dnorm_logits, dlogit_maxes, logits):
    first, *rest = dnorm_logits.clone(), (logits == (biggest := logits.max(1, keepdim=True).values)).to(logits.dtype)
    assert biggest.shape == dlogit_maxes.shape
    return first + [one * dlogit_maxes for one in rest][0]
