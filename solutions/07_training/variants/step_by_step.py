"""All the small steps of lesson 03, and a token drawn by running along the cumulated probabilities."""

import torch


def gradients(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    n = len(Xb)
    rows = torch.arange(n)
    emb = C[Xb]
    embcat = emb.reshape(n, -1)
    hprebn = embcat @ W1 + b1
    bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
    bndiff = hprebn - bnmeani
    bndiff2 = bndiff**2
    bnvar = 1 / (n - 1) * bndiff2.sum(0, keepdim=True)
    bnvar_inv = (bnvar + 1e-5) ** -0.5
    bnraw = bndiff * bnvar_inv
    hpreact = bngain * bnraw + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    logit_maxes = logits.max(1, keepdim=True).values
    norm_logits = logits - logit_maxes
    counts = norm_logits.exp()
    counts_sum = counts.sum(1, keepdim=True)
    counts_sum_inv = counts_sum**-1
    probs = counts * counts_sum_inv
    logprobs = probs.log()
    loss = -logprobs[rows, Yb].mean()

    dlogprobs = torch.zeros_like(logprobs)
    dlogprobs[rows, Yb] = -1.0 / n
    dprobs = dlogprobs / probs
    dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
    dcounts_sum = -(counts_sum**-2) * dcounts_sum_inv
    dcounts = counts_sum_inv * dprobs + dcounts_sum
    dnorm_logits = counts * dcounts
    dlogit_maxes = -dnorm_logits.sum(1, keepdim=True)
    dlogits = dnorm_logits.clone()
    dlogits[rows, logits.max(1).indices] += dlogit_maxes.view(-1)
    dh = dlogits @ W2.T
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dhpreact = (1 - h**2) * dh
    dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
    dbnbias = dhpreact.sum(0, keepdim=True)
    dbnraw = bngain * dhpreact
    dbnvar_inv = (bndiff * dbnraw).sum(0, keepdim=True)
    dbnvar = -0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv
    dbndiff2 = 1 / (n - 1) * torch.ones_like(bndiff2) * dbnvar
    dbndiff = bnvar_inv * dbnraw + 2 * bndiff * dbndiff2
    dbnmeani = -dbndiff.sum(0, keepdim=True)
    dhprebn = dbndiff + 1 / n * dbnmeani
    dembcat = dhprebn @ W1.T
    dW1 = embcat.T @ dhprebn
    db1 = dhprebn.sum(0)
    demb = dembcat.reshape(emb.shape)
    dC = torch.zeros_like(C)
    dC.index_put_((Xb,), demb, accumulate=True)
    return loss, (dC, dW1, db1, dW2, db2, dbngain, dbnbias)


@torch.no_grad()
def update(parameters, gradients, learning_rate):
    for parameter, gradient in zip(parameters, gradients, strict=True):
        gradient *= learning_rate
        parameter -= gradient
    return parameters


def learning_rate(step, max_steps):
    if 2 * step < max_steps:
        return 0.1
    return 0.01


def train(parameters, X, Y, batches, max_steps, start=0):
    losses = []
    for step, ix in zip(range(start, max_steps), batches, strict=False):
        Xb = X[ix]
        Yb = Y[ix]
        loss, slopes = gradients(parameters, Xb, Yb)
        update(parameters, slopes, learning_rate(step, max_steps))
        losses.append(float(loss))
    return losses


def forward(parameters, X, mean=None, variance=None):
    """(hprebn, probabilities): the second only where there are statistics."""
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    hprebn = C[X].reshape(len(X), -1) @ W1 + b1
    if mean is None:
        return hprebn, None
    raw = (hprebn - mean) / torch.sqrt(variance + 1e-5)
    counts = (torch.tanh(bngain * raw + bnbias) @ W2 + b2).exp()
    return hprebn, counts / counts.sum(1, keepdim=True)


def calibrate(parameters, X):
    hprebn, _ = forward(parameters, X)
    return torch.mean(hprebn, 0, keepdim=True), torch.std(hprebn, 0, keepdim=True) ** 2


def split_loss(parameters, statistics, X, Y):
    _, probabilities = forward(parameters, X, *statistics)
    total = 0.0
    for row, y in zip(probabilities, Y, strict=True):
        total -= row[y].log()
    return total / len(Y)


def sample(parameters, statistics, generator):
    C, W1 = parameters[:2]
    context = torch.zeros(W1.shape[0] // C.shape[1], dtype=torch.int64)
    name = []
    while True:
        _, probabilities = forward(parameters, context.view(1, -1), *statistics)
        left, token = torch.rand(1, generator=generator).item(), 0
        row = probabilities[0].tolist()
        while token < len(row) - 1 and left >= row[token]:
            left -= row[token]
            token += 1
        if token == 0:
            break
        name.append(token)
        context = torch.cat([context[1:], torch.tensor([token])])
    return name
