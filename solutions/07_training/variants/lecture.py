"""As in the lecture: its lines one by one, and its loop for dC."""

import torch
import torch.nn.functional as F


def gradients(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    n = Xb.shape[0]
    # forward pass
    emb = C[Xb]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True)
    bnvar = hprebn.var(0, keepdim=True, unbiased=True)
    bnvar_inv = (bnvar + 1e-5) ** -0.5
    bnraw = (hprebn - bnmean) * bnvar_inv
    hpreact = bngain * bnraw + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    # backward pass
    dlogits = F.softmax(logits, 1)
    dlogits[range(n), Yb] -= 1
    dlogits /= n
    dh = dlogits @ W2.T
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dhpreact = (1.0 - h**2) * dh
    dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
    dbnbias = dhpreact.sum(0, keepdim=True)
    dhprebn = (
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0) - n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0))
    )
    dembcat = dhprebn @ W1.T
    dW1 = embcat.T @ dhprebn
    db1 = dhprebn.sum(0)
    demb = dembcat.view(emb.shape)
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            ix = Xb[k, j]
            dC[ix] += demb[k, j]
    return loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]


def update(parameters, gradients, learning_rate):
    for p, grad in zip(parameters, gradients, strict=True):
        p.data += -learning_rate * grad


def learning_rate(step, max_steps):
    return 0.1 if step < max_steps // 2 else 0.01


def train(parameters, X, Y, batches, max_steps, start=0):
    lossi = []
    i = start
    for ix in batches:
        Xb, Yb = X[ix], Y[ix]
        loss, grads = gradients(parameters, Xb, Yb)
        lr = learning_rate(i, max_steps)
        update(parameters, grads, lr)
        lossi.append(loss.item())
        i += 1
    return lossi


def calibrate(parameters, X):
    C, W1, b1, *_ = parameters
    emb = C[X]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    return hprebn.mean(0, keepdim=True), hprebn.var(0, keepdim=True, unbiased=True)


def split_loss(parameters, statistics, X, Y):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    bnmean, bnvar = statistics
    emb = C[X]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    hpreact = bngain * (hprebn - bnmean) * (bnvar + 1e-5) ** -0.5 + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Y)
    return loss.item()


def sample(parameters, statistics, generator):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    bnmean, bnvar = statistics
    block_size = W1.shape[0] // C.shape[1]
    out = []
    context = [0] * block_size
    while True:
        emb = C[torch.tensor([context])]
        embcat = emb.view(emb.shape[0], -1)
        hpreact = embcat @ W1 + b1
        hpreact = bngain * (hpreact - bnmean) * (bnvar + 1e-5) ** -0.5 + bnbias
        h = torch.tanh(hpreact)
        logits = h @ W2 + b2
        probs = F.softmax(logits, dim=1)
        ix = torch.multinomial(probs, num_samples=1, generator=generator).item()
        context = [*context[1:], ix]
        out.append(ix)
        if ix == 0:
            break
    return out[:-1]
