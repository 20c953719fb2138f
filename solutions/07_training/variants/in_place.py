"""As few new tensors as possible, statistics from torch.var_mean, and sets of examples gone through in pieces."""

import torch
import torch.nn.functional as F


def gradients(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    n, embedding = Xb.shape[0], C.shape[1]
    embcat = F.embedding(Xb, C).flatten(1)
    raw = torch.addmm(b1, embcat, W1)
    variance, mean = torch.var_mean(raw, 0, keepdim=True)
    inverse = variance.add_(1e-5).rsqrt_()
    raw.sub_(mean).mul_(inverse)
    h = raw.mul(bngain).add_(bnbias).tanh_()
    probs = torch.addmm(b2, h, W2).softmax(1)
    chosen = probs.gather(1, Yb.view(-1, 1))
    loss = chosen.log().mean().neg_()

    probs.scatter_(1, Yb.view(-1, 1), chosen - 1).div_(n)
    dW2, db2 = h.T.mm(probs), probs.sum(0)
    d = probs.mm(W2.T)
    d.mul_(h.square_().neg_().add_(1))
    dbnbias = d.sum(0, keepdim=True)
    dbngain = d.mul(raw).sum(0, keepdim=True)
    d.mul_(n).sub_(dbnbias).sub_(raw.mul_(dbngain).mul_(n / (n - 1))).mul_(bngain).mul_(inverse).div_(n)
    dC = torch.zeros_like(C)
    dC.scatter_add_(0, Xb.reshape(-1, 1).expand(-1, embedding), d.mm(W1.T).view(-1, embedding))
    return loss, [dC, embcat.T.mm(d), d.sum(0), dW2, db2, dbngain, dbnbias]


def update(parameters, gradients, learning_rate):
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.detach().sub_(gradient, alpha=learning_rate)


def learning_rate(step, max_steps):
    return (0.1, 0.01)[int(step >= max_steps / 2)]


def train(parameters, X, Y, batches, max_steps, start=0):
    losses = torch.empty(max_steps, dtype=torch.float64)
    done = 0
    for ix in batches:
        losses[done], slopes = gradients(parameters, X.index_select(0, ix), Y.index_select(0, ix))
        update(parameters, slopes, learning_rate(start + done, max_steps))
        done += 1
    return losses[:done].tolist()


def calibrate(parameters, X):
    C, W1, b1 = parameters[:3]
    pieces = [torch.addmm(b1, C[piece].flatten(1), W1) for piece in X.split(32)]
    mean = sum(piece.sum(0, keepdim=True) for piece in pieces) / len(X)
    variance = sum((piece - mean).square().sum(0, keepdim=True) for piece in pieces) / (len(X) - 1)
    return mean, variance


def split_loss(parameters, statistics, X, Y):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    bnmean, bnvar = statistics
    total = 0.0
    for x, y in zip(X.split(32), Y.split(32), strict=True):
        h = torch.addmm(b1, C[x].flatten(1), W1).sub_(bnmean).div_(torch.sqrt(bnvar + 1e-5))
        logits = torch.addmm(b2, h.mul_(bngain).add_(bnbias).tanh_(), W2)
        total += F.cross_entropy(logits, y, reduction="sum").item()
    return total / len(Y)


def sample(parameters, statistics, generator):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    scale = (statistics[1] + 1e-5).rsqrt() * bngain
    context = torch.zeros(1, W1.shape[0] // C.shape[1], dtype=torch.long)
    name = []
    while not name or name[-1]:
        h = C[context].flatten(1).mm(W1).add_(b1).sub_(statistics[0]).mul_(scale).add_(bnbias).tanh_()
        name.append(h.mm(W2).add_(b2).softmax(-1).multinomial(1, generator=generator)[0, 0])
        context = context.roll(-1, 1)
        context[0, -1] = name[-1]
    return name[:-1]
