"""Right, with a class for each kind of layer; every layer keeps what its own way back needs."""

import math

import torch


class Norm:
    def __init__(self, gain, dgain):
        self.gain, self.dgain = gain, dgain

    def forward(self, x):
        self.root = torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5)
        self.xhat = x / self.root
        return self.xhat * self.gain

    def backward(self, up):
        self.dgain += (up * self.xhat).flatten(0, -2).sum(0)
        up = up * self.gain
        return (up - self.xhat * (up * self.xhat).mean(-1, keepdim=True)) / self.root


class Linear:
    def __init__(self, weight, dweight):
        self.weight, self.dweight = weight, dweight

    def forward(self, x):
        self.x = x
        return x @ self.weight

    def backward(self, up):
        self.dweight += self.x.flatten(0, 1).T @ up.flatten(0, 1)
        return up @ self.weight.T


class Gelu:
    def forward(self, x):
        self.x, self.gate = x, torch.special.ndtr(x)
        return x * self.gate

    def backward(self, up):
        return up * (self.gate + self.x * torch.exp(-0.5 * self.x**2) / math.sqrt(2 * math.pi))


class Softmax:
    def forward(self, x):
        self.out = torch.softmax(x, -1)
        return self.out

    def backward(self, up):
        inner = up * self.out
        return inner - self.out * inner.sum(-1, keepdim=True)


class Attention:
    def __init__(self, q, k, v, o, heads):
        self.q, self.k, self.v, self.o, self.heads, self.softmax = q, k, v, o, heads, Softmax()

    def split(self, x):
        batch, time, channels = x.shape
        return x.reshape(batch, time, self.heads, channels // self.heads).permute(0, 2, 1, 3)

    @staticmethod
    def merge(y):
        batch, heads, time, size = y.shape
        return y.permute(0, 2, 1, 3).reshape(batch, time, heads * size)

    def forward(self, x):
        self.Q, self.K, self.V = (self.split(each.forward(x)) for each in (self.q, self.k, self.v))
        self.scale = self.Q.shape[-1] ** -0.5
        future = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        scores = (self.scale * self.Q @ self.K.mT).masked_fill(future, float("-inf"))
        return self.o.forward(self.merge(self.softmax.forward(scores) @ self.V))

    def backward(self, up):
        up = self.split(self.o.backward(up))
        scores = self.softmax.backward(up @ self.V.mT) * self.scale
        back = (scores @ self.K, scores.mT @ self.Q, self.softmax.out.mT @ up)
        return sum(each.backward(self.merge(d)) for each, d in zip((self.q, self.k, self.v), back))


class Residual:
    def __init__(self, *layers):
        self.layers = layers

    def forward(self, x):
        out = x
        for layer in self.layers:
            out = layer.forward(out)
        return x + out

    def backward(self, up):
        back = up
        for layer in reversed(self.layers):
            back = layer.backward(back)
        return up + back


class Gpt:
    def __init__(self, parameters, heads):
        self.p, self.d = parameters, {name: torch.zeros_like(value) for name, value in parameters.items()}
        p, d = self.p, self.d
        self.layers = []
        for i in range(len(p["gain1"])):
            q, k, v, o, up, down = (Linear(p[name][i], d[name][i]) for name in ("Wq", "Wk", "Wv", "Wo", "W1", "W2"))
            self.layers.append(Residual(Norm(p["gain1"][i], d["gain1"][i]), Attention(q, k, v, o, heads)))
            self.layers.append(Residual(Norm(p["gain2"][i], d["gain2"][i]), up, Gelu(), down))
        self.layers.append(Norm(p["gain3"], d["gain3"]))

    def forward(self, X):
        self.X = X
        x = torch.nn.functional.embedding(X, self.p["wte"]) + self.p["wpe"].narrow(0, 0, X.shape[1])
        for layer in self.layers:
            x = layer.forward(x)
        self.final = x
        return x @ self.p["wte"].T

    def backward(self, up):
        self.d["wte"] += torch.tensordot(up, self.final, ([0, 1], [0, 1]))
        back = up @ self.p["wte"]
        for layer in reversed(self.layers):
            back = layer.backward(back)
        self.d["wpe"][: back.shape[1]] += back.sum(0)
        self.d["wte"].index_put_((self.X,), back, accumulate=True)


def gradients(parameters, X, Y, heads):
    net = Gpt(parameters, heads)
    logits = net.forward(X)
    probabilities = torch.softmax(logits, -1)
    known = (Y >= 0)[..., None]
    true = Y.clamp(min=0)[..., None]
    loss = -(probabilities.gather(-1, true).log() * known).sum() / known.sum()
    net.backward(
        torch.where(known, probabilities.scatter_add(-1, true, -torch.ones_like(true, dtype=logits.dtype)), 0.0)
        / known.sum()
    )
    return {"loss": loss, **{f"d{name}": value for name, value in net.d.items()}}


def clip(gradients, most):
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(each) for each in gradients.values()]))
    if norm > most:
        gradients = {name: each / norm * most for name, each in gradients.items()}
    return gradients, norm


class Adam:
    def __init__(self, rate, decay, step):
        self.rate, self.decay = rate, decay
        self.first, self.second = 1 - 0.9 ** (step + 1), 1 - 0.99 ** (step + 1)

    def move(self, parameter, gradient, mean, square, decayed):
        mean.lerp_(gradient, 0.1)
        square.lerp_(gradient.square(), 0.01)
        if decayed:
            parameter -= self.rate * self.decay * parameter
        parameter.addcdiv_(mean / self.first, (square / self.second).sqrt() + 1e-8, value=-self.rate)


def adam(parameters, gradients, means, squares, step, rate, decay):
    optimizer = Adam(rate, decay, step)
    for name in parameters:
        optimizer.move(parameters[name], gradients[name], means[name], squares[name], "gain" not in name)


def learning_rate(step, max_steps):
    done = step / max_steps
    if done < 0.1:
        return 0.01 * (step + 1) / (max_steps // 10)
    return 0.001 + 0.0045 * (1 + math.cos(math.pi * (done - 0.1) / 0.9))


def train(parameters, means, squares, X, Y, batches, max_steps, heads, start=0):
    def one(step, ix):
        found = gradients(parameters, X[ix], Y[ix], heads)
        loss = found.pop("loss")
        clipped, _ = clip({name[1:]: value for name, value in found.items()}, 1.0)
        adam(parameters, clipped, means, squares, step, learning_rate(step, max_steps), 0.1)
        return loss.item()

    return [one(step, ix) for step, ix in zip(range(start, max_steps), batches)]


def sample(parameters, heads, generator):
    tokens = torch.zeros(1, 1, dtype=torch.int64)
    while tokens.shape[1] <= parameters["wpe"].shape[0]:
        probabilities = torch.softmax(Gpt(parameters, heads).forward(tokens)[:, -1], -1)
        drawn = torch.multinomial(probabilities, 1, generator=generator)
        if drawn.item() == 0:
            break
        tokens = torch.cat((tokens, drawn), 1)
    return tokens[0, 1:].tolist()
