# differences: dbeta
# in backward:
h = 1e-4
moved = torch.stack([beta + h * torch.eye(len(beta), dtype=beta.dtype), beta - h * torch.eye(len(beta), dtype=beta.dtype),
                     beta + 2 * h * torch.eye(len(beta), dtype=beta.dtype), beta - 2 * h * torch.eye(len(beta), dtype=beta.dtype)])
act = torch.tanh(gamma * xhat + moved[:, :, None, :])
z = act @ W2 + b2
losses = (z.logsumexp(-1) - (z * F.one_hot(Yb, z.shape[-1])).sum(-1)).mean(-1)
grads["dbeta"] = (8 * (losses[0] - losses[1]) - (losses[2] - losses[3])) / (12 * h)
