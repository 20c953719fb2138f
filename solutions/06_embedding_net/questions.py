"""Proofs of the keys in questions.toml: each number again, by autograd or by building the tensors."""

import torch


def lookup_sum(i, j, g0, g1, g2):
    table = torch.zeros(10, requires_grad=True)
    table[torch.tensor([i, j, i])].backward(torch.tensor([float(g0), g1, g2]))
    return table.grad[i]


def closed_unit(h):
    z = torch.atanh(torch.tensor(h, dtype=torch.float64)).requires_grad_()
    return 100 * torch.autograd.grad(torch.tanh(z), z)[0]


def parameters(v, e, c, u):
    table = torch.zeros(v, e)
    embcat = table[torch.zeros(1, c, dtype=torch.long)].view(1, -1)
    return table.numel() + torch.zeros(embcat.shape[1], u).numel() + torch.zeros(u, v).numel()
