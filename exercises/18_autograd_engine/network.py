"""Lesson 02's network, trained with your engine: linear, batch norm, linear, cross-entropy.

    python network.py

`train` uses only your class. The hidden suite runs it as well, and compares the losses with autograd's.
"""

import torch


def train(Tensor, parameters, X, Y, steps, rate):
    """The loss before each of `steps` steps of gradient descent, and after the last one.

    parameters: {name: torch tensor}, for W, b, gamma, beta, W2, b2; X: (batch, features); Y: (batch,), the classes
    """
    p = {name: Tensor(value.clone()) for name, value in parameters.items()}
    x, n, classes = Tensor(X), X.shape[0], parameters["b2"].shape[0]
    rows, losses = torch.arange(n), []
    for step in range(steps + 1):
        h = x @ p["W"] + p["b"]
        centred = h - h.sum(0, keepdim=True) / n
        variance = (centred**2).sum(0, keepdim=True) / n
        h = p["gamma"] * (centred / (variance + 1e-5) ** 0.5) + p["beta"]
        logits = h @ p["W2"] + p["b2"]
        largest = logits[:, 0:1]
        for k in range(1, classes):
            largest = largest.maximum(logits[:, k : k + 1])
        logits = logits - largest
        log_probabilities = logits - logits.exp().sum(1, keepdim=True).log()
        loss = -log_probabilities[rows, Y].sum() / n
        losses.append(float(loss.data))
        if step < steps:
            for value in p.values():
                value.zero_grad()
            loss.backward()
            for value in p.values():
                value.data = value.data - rate * value.grad
    return losses


def problem(generator, batch=12, features=6, hidden=9, classes=4):
    """(parameters, X, Y), drawn."""

    def normal(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    parameters = {
        "W": normal(features, hidden) / features**0.5,
        "b": 0.1 * normal(hidden),
        "gamma": 1 + 0.1 * normal(hidden),
        "beta": 0.1 * normal(hidden),
        "W2": normal(hidden, classes) / hidden**0.5,
        "b2": 0.1 * normal(classes),
    }
    return parameters, normal(batch, features), torch.randint(0, classes, (batch,), generator=generator)


if __name__ == "__main__":
    from backward import Tensor

    drawn = problem(torch.Generator().manual_seed(13))
    for number, loss in enumerate(train(Tensor, *drawn, steps=20, rate=0.5)):
        print(f"step {number:2}   loss {loss:.6f}")
