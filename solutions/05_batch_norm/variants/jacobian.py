"""Right, by whole Jacobians: one (n, n) matrix for every hidden unit, multiplied with its column."""

import torch


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    z = bnraw.T
    jacobian = torch.eye(n, dtype=z.dtype) - torch.full((n, n), 1 / n, dtype=z.dtype)
    jacobian = jacobian - z.unsqueeze(2) @ z.unsqueeze(1) / (n - 1)
    jacobian = jacobian * (bngain * bnvar_inv).view(-1, 1, 1)
    return torch.bmm(jacobian, dhpreact.T.unsqueeze(2)).squeeze(2).T


def dh(dh_bn, gamma, h_norm, h_var, N):
    jacobian = torch.eye(N, dtype=h_norm.dtype)[None] - (1 + torch.einsum("ik,jk->kij", h_norm, h_norm)) / N
    return torch.einsum("k,kij,jk->ik", gamma / torch.sqrt(h_var + 1e-5), jacobian, dh_bn)
