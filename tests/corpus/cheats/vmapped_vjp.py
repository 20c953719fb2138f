"""vmap over vjp. Stopped by: tripwire."""

import torch


def dprobs(dlogprobs, probs):
    def row(p, g):
        return torch.func.vjp(torch.log, p)[1](g)[0]  # here

    return torch.vmap(row)(probs, dlogprobs)
