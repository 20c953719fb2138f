# complex numbers: dbeta
# in backward:
z = torch.complex(beta.expand(len(beta), -1), 1e-20 * torch.eye(len(beta), dtype=beta.dtype))
act = torch.tanh((gamma * xhat)[None] + z[:, None, :])
scores = act @ W2.to(act.dtype) + b2
losses = (scores.exp().sum(-1).log() - (scores * F.one_hot(Yb, scores.shape[-1])).sum(-1)).mean(-1)
grads["dbeta"] = torch.view_as_real(losses)[:, 1] / 1e-20
