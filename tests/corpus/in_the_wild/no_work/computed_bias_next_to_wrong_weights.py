"""The bias before batch norm is computed, and right although the weights next to it are not (`dembcat` for `embcat`).

lesson: 07
as: script
alone: yes
dW1: failed | = In `dembcat.T @ dhprebn`, look at `dembcat`: another value belongs there. With it, this gradient
    is right. Which value does the forward pass use there?
update: missing
learning_rate: missing
trajectory: missing
resumed: missing
no_grad: missing
calibrate: missing
split_loss: missing
sample: missing
others: passed
"""
for i in range(max_steps):
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g); Xb, Yb = Xtr[ix], Ytr[ix]
    emb = C[Xb]; embcat = emb.view(emb.shape[0], -1); hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True); bnvar = hprebn.var(0, keepdim=True, unbiased=True)
    bnvar_inv = (bnvar + 1e-5) ** -0.5; bnraw = (hprebn - bnmean) * bnvar_inv
    h = torch.tanh(bngain * bnraw + bnbias); logits = h @ W2 + b2; loss = F.cross_entropy(logits, Yb)
    dlogits = F.softmax(logits, 1); dlogits[range(n), Yb] -= 1; dlogits /= n
    dhpreact = (1 - h ** 2) * (dlogits @ W2.T); dW2 = h.T @ dlogits; db2 = dlogits.sum(0)
    dbngain = (bnraw * dhpreact).sum(0, keepdim=True); dbnbias = dhpreact.sum(0, keepdim=True)
    dhprebn = bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0) - n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0))
    dembcat = dhprebn @ W1.T; dW1 = dembcat.T @ dhprebn; db1 = dhprebn.sum(0)
    dC = torch.zeros_like(C); dC.index_add_(0, Xb.view(-1), dembcat.view(-1, C.shape[1]))
    for p, grad in zip(parameters, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]): p.data += -0.1 * grad
