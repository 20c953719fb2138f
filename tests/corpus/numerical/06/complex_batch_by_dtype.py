# complex numbers: dbeta
# in backward:
shift = torch.zeros(len(beta), len(beta), dtype=torch.cdouble)
shift.imag.fill_diagonal_(1e-20)
act = torch.tanh((gamma * xhat)[None] + (beta + shift)[:, None, :])
z = act @ W2.to(act.dtype) + b2
losses = (z.exp().sum(-1).log() - (z * F.one_hot(Yb, z.shape[-1])).sum(-1)).mean(-1)
grads["dbeta"] = losses.imag / 1e-20
