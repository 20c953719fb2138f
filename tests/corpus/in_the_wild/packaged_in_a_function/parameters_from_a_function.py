"""A function makes the parameters, two others receive them with a star: one wrong line, and the rest is right.

lesson: 07
as: notebook
keeps: import torch | n_embd
counts: 04 05 07
update: missing
learning_rate: missing
trajectory: missing
resumed: missing
no_grad: missing
calibrate: missing
split_loss: missing
sample: missing
db2: failed | = The line `dlogits /= n` is one too many. Without it, this gradient is right.
others: passed
"""

def init(hidden):
    C = torch.randn((vocab_size, n_embd))
    W1 = torch.randn((n_embd * block_size, hidden)) * 0.1
    b1 = torch.randn(hidden) * 0.1
    W2 = torch.randn((hidden, vocab_size)) * 0.1
    b2 = torch.randn(vocab_size) * 0.1
    bngain = torch.ones((1, hidden))
    bnbias = torch.zeros((1, hidden))
    made = [C, W1, b1, W2, b2, bngain, bnbias]
    for p in made:
        p.requires_grad = True
    return made


def forward(Xb, Yb, C, W1, b1, W2, b2, bngain, bnbias):
    emb = C[Xb]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True)
    bnvar_inv = (hprebn.var(0, keepdim=True) + 1e-5)**-0.5
    bnraw = (hprebn - bnmean) * bnvar_inv
    h = torch.tanh(bngain * bnraw + bnbias)
    logits = h @ W2 + b2
    return F.cross_entropy(logits, Yb), (embcat, bnvar_inv, bnraw, h, logits)


def backward(Xb, Yb, cache, parameters):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    embcat, bnvar_inv, bnraw, h, logits = cache
    n = Xb.shape[0]
    dlogits = F.softmax(logits, 1)
    dlogits[range(n), Yb] -= 1
    dlogits /= n
    dW2 = h.T @ dlogits
    db2 = dlogits.mean(0)
    dhpreact = (1.0 - h**2) * (dlogits @ W2.T)
    dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
    dbnbias = dhpreact.sum(0, keepdim=True)
    dhprebn = bngain*bnvar_inv/n * (n*dhpreact - dhpreact.sum(0) - n/(n-1)*bnraw*(dhpreact*bnraw).sum(0))
    dW1 = embcat.T @ dhprebn
    db1 = dhprebn.sum(0)
    dC = torch.zeros_like(C)
    dC.index_add_(0, Xb.view(-1), (dhprebn @ W1.T).view(-1, C.shape[1]))
    return dC, dW1, db1, dW2, db2, dbngain, dbnbias


# %%
parameters = init(200)
for i in range(1000):
    ix = torch.randint(0, Xtr.shape[0], (32,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]
    loss, cache = forward(Xb, Yb, *parameters)
    grads = backward(Xb, Yb, cache, parameters)
    for p, grad in zip(parameters, grads):
        p.data -= 0.1 * grad
