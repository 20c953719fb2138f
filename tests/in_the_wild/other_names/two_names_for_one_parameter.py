"""Exercise 1 calls the shift of batch norm bn_bias, the training loop calls it bn_beta.

lesson: 07
as: notebook
alone: yes
dW2: passed
db2: passed
dbngain: passed
dbnbias: passed | = Read from `dbn_beta`: by its name it is `dbnbias`.
dW1: passed
db1: passed
dC: passed
loss: passed
others: missing
"""

bn_bias = torch.randn((1, n_hidden)) * 0.1
# %%
hpreact = bngain * bnraw + bn_bias
h = torch.tanh(hpreact)
logits = h @ W2 + b2
# %%
dlogprobs = torch.zeros_like(logprobs)
dlogits = dnorm_logits + F.one_hot(logits.max(1).indices, 27) * dlogit_maxes
dh = dlogits @ W2.T
dhpreact = (1.0 - h**2) * dh
dbn_bias = dhpreact.sum(0, keepdim=True)
cmp("bn_bias", dbn_bias, bn_bias)
# %%
bn_beta = torch.zeros((1, n_hidden))
for i in range(max_steps):
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]
    emb = C[Xb]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True)
    bnvar = hprebn.var(0, keepdim=True, unbiased=True)
    bnvar_inv = (bnvar + 1e-5) ** -0.5
    bnraw = (hprebn - bnmean) * bnvar_inv
    hpreact = bngain * bnraw + bn_beta
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    dlogits = F.softmax(logits, 1)
    dlogits[range(n), Yb] -= 1
    dlogits /= n
    dh = dlogits @ W2.T
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dhpreact = (1.0 - h**2) * dh
    dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
    dbn_beta = dhpreact.sum(0, keepdim=True)
    dhprebn = bngain*bnvar_inv/n * (n*dhpreact - dhpreact.sum(0) - n/(n-1)*bnraw*(dhpreact*bnraw).sum(0))
    dembcat = dhprebn @ W1.T
    dW1 = embcat.T @ dhprebn
    db1 = dhprebn.sum(0)
    demb = dembcat.view(emb.shape)
    dC = torch.zeros_like(C).index_put((Xb,), demb, accumulate=True)
