"""jacrev, jacfwd and hessian. Stopped by: tripwire."""

import torch


def dprobs(dlogprobs, probs):
    jacobian = torch.func.jacrev(torch.log)(probs)  # here
    return torch.einsum("ij,ijkl->kl", dlogprobs, jacobian)


def dhpreact(dh, hpreact):
    jacobian = torch.func.jacfwd(torch.tanh)(hpreact)  # here
    return torch.einsum("ij,ijkl->kl", dh, jacobian)


def dh(dlogits, W2):
    half = torch.zeros(dlogits.shape[0], W2.shape[0], dtype=W2.dtype)
    second = torch.func.hessian(lambda x: 0.5 * (x**2).sum())(half)  # here
    return torch.einsum("ij,ijkl->kl", dlogits @ W2.T, second)
