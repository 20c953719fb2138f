"""Functions and a class, for the engine's own tests."""

import torch


def gap(a, b):
    """The largest distance between two tensors, a number, and where it is."""
    # <answer>
    distance = (a - b).abs()
    return {"gap": distance.max().item(), "where": int(distance.argmax())}
    # </answer>


def doubled(values):
    """Doubles a list of tensors in place."""
    # <answer>
    for value in values:
        value *= 2
    # </answer>


class Counter:
    """Adds tensors up."""

    def __init__(self, size):
        # <answer>
        self.total, self.seen = torch.zeros(size), 0
        # </answer>

    def add(self, x):
        """Adds the rows of x (n, size); returns the running mean."""
        # <answer>
        self.total = self.total + x.sum(0)
        self.seen += x.shape[0]
        return self.total / self.seen
        # </answer>


def slope(f, x):
    """The slope of f at x by a central difference."""
    # <answer>
    return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5
    # </answer>


def drawn(generator, n):
    """n normal numbers from the generator."""
    # <answer>
    return torch.randn(n, generator=generator)
    # </answer>
