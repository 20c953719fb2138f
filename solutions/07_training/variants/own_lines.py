"""Everything written out in the loop itself, without a helper; one-hot rows for every look-up, forward and backward."""

import torch


def gradients(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    n, block = Xb.shape
    vocabulary, embedding = C.shape
    unit = torch.eye(vocabulary, dtype=C.dtype)
    rows, true = unit[Xb], unit[Yb]
    embcat = (rows @ C).reshape(n, block * embedding)
    x = embcat @ W1 + b1
    v = x.var(dim=0, keepdim=True)
    z = (x - x.mean(dim=0, keepdim=True)) / (v + 1e-5).sqrt()
    h = (bngain * z + bnbias).tanh()
    logits = h @ W2 + b2
    logp = logits.log_softmax(dim=-1)
    loss = -(true * logp).sum() / n

    dlogits = logp.exp() / n - true / n
    da = (dlogits @ W2.T) / torch.cosh(bngain * z + bnbias) ** 2
    one = torch.ones(1, n, dtype=C.dtype)
    # the gradient of batch norm as a matrix for each column: I - 11'/n - zz'/(n-1)
    dz = bngain * da
    dx = torch.empty_like(x)
    for j in range(x.shape[1]):
        jacobian = torch.eye(n, dtype=C.dtype) - 1 / n - torch.outer(z[:, j], z[:, j]) / (n - 1)
        dx[:, j] = jacobian @ dz[:, j] / (v[0, j] + 1e-5).sqrt()
    demb = (dx @ W1.T).reshape(n, block, embedding)
    dC = sum(rows[:, j].T @ demb[:, j] for j in range(block))
    return loss, [dC, embcat.T @ dx, (one @ dx)[0], h.T @ dlogits, (one @ dlogits)[0], one @ (da * z), one @ da]


def update(parameters, gradients, learning_rate):
    with torch.no_grad():
        for i in range(len(parameters)):
            parameters[i] -= learning_rate * gradients[i]


def learning_rate(step, max_steps):
    return 0.01 if step >= max_steps / 2 else 0.1


def train(parameters, X, Y, batches, max_steps, start=0):
    losses = []
    step = start
    for ix in batches:
        loss, slopes = gradients(parameters, X[ix], Y[ix])
        rate = 0.1
        if step >= max_steps / 2:
            rate = 0.01
        for parameter, slope in zip(parameters, slopes, strict=True):
            parameter.data[...] = parameter - rate * slope
        losses += [loss.item()]
        step += 1
    return losses


def calibrate(parameters, X):
    C, W1, b1 = parameters[0], parameters[1], parameters[2]
    block, embedding = X.shape[1], C.shape[1]
    # each token at each place adds a row of its own: (block, V, H)
    rows = C @ W1.reshape(block, embedding, -1)
    x = sum(rows[place][X[:, place]] for place in range(block)) + b1
    variance, mean = torch.var_mean(x, dim=0, keepdim=True)
    return mean, variance


def split_loss(parameters, statistics, X, Y):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    bnmean, bnvar = statistics
    losses = []
    for x, y in zip(X, Y, strict=True):  # one example at a time: nothing depends on its neighbours
        embcat = torch.cat([C[token] for token in x])
        hpreact = bngain * (embcat @ W1 + b1 - bnmean) / torch.sqrt(bnvar + 1e-5) + bnbias
        logits = torch.tanh(hpreact) @ W2 + b2
        losses.append(torch.logsumexp(logits[0], 0) - logits[0, y])
    return torch.stack(losses).mean()


def sample(parameters, statistics, generator):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    bnmean, bnvar = statistics
    size = W1.shape[0] // C.shape[1]
    history = [0] * size
    while True:
        embcat = torch.cat([C[token] for token in history[-size:]])
        hpreact = bngain * (embcat @ W1 + b1 - bnmean) / torch.sqrt(bnvar + 1e-5) + bnbias
        probs = torch.softmax(torch.tanh(hpreact) @ W2 + b2, 1)
        drawn = torch.multinomial(probs[0], 1, True, generator=generator)
        if drawn == 0:
            break
        history.append(int(drawn))
    return history[size:]
