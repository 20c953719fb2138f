"""Every product as an einsum; a token is drawn by adding Gumbel noise to the logits and taking the largest."""

import math

import torch
import torch.nn.functional as F


def gradients(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    n, block = Xb.shape
    first = W1.view(block, C.shape[1], -1)
    emb = C[Xb]
    hprebn = torch.einsum("nbe,beh->nh", emb, first) + b1
    centred = hprebn - hprebn.mean(0)
    deviation = torch.sqrt(torch.einsum("nh,nh->h", centred, centred) / (n - 1) + 1e-5)
    raw = centred / deviation
    h = torch.tanh(raw * bngain[0] + bnbias[0])
    logits = torch.einsum("nh,hv->nv", h, W2) + b2
    target = F.one_hot(Yb, C.shape[0]).to(C.dtype)
    logsumexp = torch.logsumexp(logits, 1)
    loss = (logsumexp - torch.einsum("nv,nv->n", logits, target)).mean()

    dlogits = (torch.exp(logits - logsumexp[:, None]) - target) / n
    dhpreact = torch.einsum("nv,hv->nh", dlogits, W2) * (1 + h) * (1 - h)
    dgain = torch.einsum("nh,nh->h", dhpreact, raw)
    dbias = torch.einsum("nh->h", dhpreact)
    draw = dhpreact * bngain
    dhprebn = (draw - draw.mean(0) - raw * torch.einsum("nh,nh->h", draw, raw) / (n - 1)) / deviation
    demb = torch.einsum("nh,beh->nbe", dhprebn, first)
    tokens = F.one_hot(Xb, C.shape[0]).to(C.dtype)
    return loss, [
        torch.einsum("nbv,nbe->ve", tokens, demb),
        torch.einsum("nbe,nh->beh", emb, dhprebn).reshape(W1.shape),
        torch.einsum("nh->h", dhprebn),
        torch.einsum("nh,nv->hv", h, dlogits),
        torch.einsum("nv->v", dlogits),
        dgain[None],
        dbias[None],
    ]


def update(parameters, gradients, learning_rate):
    for number, (parameter, gradient) in enumerate(zip(parameters, gradients, strict=True)):
        parameters[number] = parameter - learning_rate * gradient
    return parameters


def learning_rate(step, max_steps):
    return 10.0 ** -(1 + (2 * step >= max_steps))


def train(parameters, X, Y, batches, max_steps, start=0):
    losses = []
    for ix in batches:
        loss, slopes = gradients(parameters, X[ix], Y[ix])
        update(parameters, slopes, learning_rate(start + len(losses), max_steps))
        losses.append(loss)
    return losses


def before_batch_norm(C, W1, b1, X):
    return torch.einsum("nbe,beh->nh", C[X], W1.view(X.shape[1], C.shape[1], -1)) + b1


def calibrate(parameters, X):
    hprebn = before_batch_norm(*parameters[:3], X)
    mean = hprebn.mean(dim=0)
    variance = torch.einsum("nh,nh->h", hprebn - mean, hprebn - mean) / (len(X) - 1)
    return [mean.reshape(1, -1), variance.reshape(1, -1)]


def log_probabilities(parameters, statistics, X):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    mean, variance = statistics
    slope = bngain / torch.sqrt(variance + 1e-5)
    h = torch.tanh(before_batch_norm(C, W1, b1, X) * slope + (bnbias - mean * slope))
    logits = torch.einsum("nh,hv->nv", h, W2) + b2
    return logits - torch.logsumexp(logits, 1, keepdim=True)


def split_loss(parameters, statistics, X, Y):
    return -log_probabilities(parameters, statistics, X)[torch.arange(len(Y)), Y].mean()


def sample(parameters, statistics, generator):
    C, W1 = parameters[0], parameters[1]
    tokens = [0] * (W1.shape[0] // C.shape[1])
    block = len(tokens)
    while True:
        scores = log_probabilities(parameters, statistics, torch.tensor(tokens[-block:]).view(1, -1))[0]
        uniform = torch.rand(scores.shape, generator=generator, dtype=torch.float64)
        token = int(torch.argmax(scores - torch.log(-torch.log(uniform.clamp(min=math.ulp(0.0))))))
        if token == 0:
            return tokens[block:]
        tokens.append(token)
