"""Layers as small classes, each with its forward and its backward, put together for training and for evaluation."""

from bisect import bisect_right
from itertools import accumulate

import torch


class Embedding:
    def __init__(self, table):
        self.table = table

    def forward(self, tokens):
        self.tokens = tokens
        return self.table[tokens].view(len(tokens), -1)

    def backward(self, up):
        gradient = torch.zeros_like(self.table)
        pieces = up.split(self.table.shape[1], dim=1)
        for place, piece in enumerate(pieces):
            gradient.index_add_(0, self.tokens[:, place], piece)
        self.gradients = [gradient]


class Linear:
    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def forward(self, x):
        self.x = x
        return x @ self.weight + self.bias

    def backward(self, up):
        self.gradients = [self.x.t() @ up, up.sum(0)]
        return up @ self.weight.t()


class BatchNorm:
    def __init__(self, gain, bias, statistics=None):
        self.gain, self.bias, self.statistics = gain, bias, statistics

    def forward(self, x):
        if self.statistics is None:
            mean, var = x.mean(0, keepdim=True), x.var(0, keepdim=True)
        else:
            mean, var = self.statistics
        self.inverse = 1 / torch.sqrt(var + 1e-5)
        self.centred = x - mean
        return self.gain * self.centred * self.inverse + self.bias

    def backward(self, up):
        n = len(up)
        xhat = self.centred * self.inverse
        self.gradients = [(up * xhat).sum(0, keepdim=True), up.sum(0, keepdim=True)]
        dxhat = up * self.gain
        dvar = (dxhat * self.centred * -0.5 * self.inverse**3).sum(0, keepdim=True)
        dmean = -(dxhat * self.inverse).sum(0, keepdim=True)
        return dxhat * self.inverse + dvar * 2 * self.centred / (n - 1) + dmean / n


class Tanh:
    def forward(self, x):
        self.out = torch.tanh(x)
        return self.out

    def backward(self, up):
        return up - up * self.out * self.out


class CrossEntropy:
    def forward(self, logits, target):
        self.target = target
        self.probabilities = torch.softmax(logits, dim=1)
        return -torch.stack([row[y] for row, y in zip(self.probabilities, target, strict=True)]).log().mean()

    def backward(self):
        up = self.probabilities.clone()
        for row, y in zip(up, self.target, strict=True):
            row[y] -= 1
        return up / len(up)


def layers(parameters, statistics=None):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    return [Embedding(C), Linear(W1, b1), BatchNorm(bngain, bnbias, statistics), Tanh(), Linear(W2, b2)]


def forward(network, x):
    for layer in network:
        x = layer.forward(x)
    return x


def gradients(parameters, Xb, Yb):
    network, criterion = layers(parameters), CrossEntropy()
    loss = criterion.forward(forward(network, Xb), Yb)
    up = criterion.backward()
    for layer in reversed(network):
        up = layer.backward(up)
    embedding, linear1, batch_norm, _, linear2 = network
    return loss, embedding.gradients + linear1.gradients + linear2.gradients + batch_norm.gradients


def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients, strict=True):
        p.copy_(p - learning_rate * g)


def learning_rate(step, max_steps):
    half = max_steps // 2
    return [0.1, 0.01][step // half]


def train(parameters, X, Y, batches, max_steps, start=0):
    def step(number, ix):
        loss, slopes = gradients(parameters, X[ix], Y[ix])
        update(parameters, slopes, learning_rate(number, max_steps))
        return loss.item()

    with torch.inference_mode():
        return [step(number, ix) for number, ix in enumerate(batches, start=start)]


def calibrate(parameters, X):
    embedding, linear, *_ = layers(parameters)
    hprebn = linear.forward(embedding.forward(X))
    return hprebn.mean(0, True), hprebn.var(0, keepdim=True)


def split_loss(parameters, statistics, X, Y):
    return CrossEntropy().forward(forward(layers(parameters, statistics), X), Y)


def sample(parameters, statistics, generator):
    network = layers(parameters, statistics)
    block = len(parameters[1]) // parameters[0].shape[1]
    name = []
    while True:
        seen = torch.tensor([([0] * block + name)[-block:]])
        edges = list(accumulate(torch.softmax(forward(network, seen), dim=1)[0].tolist()))
        token = bisect_right(edges, torch.rand((), generator=generator, dtype=torch.float64).item() * edges[-1])
        if token == 0:
            return name
        name.append(min(token, len(edges) - 1))
