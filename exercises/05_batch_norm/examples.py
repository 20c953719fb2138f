"""The public examples that `dojo check 05` runs: your layer must agree with torch's, on small batches.

The hidden test suite uses other numbers, other settings and another order of calls.
"""

import torch

CLOSE = 1e-6  # running statistics may be float32


class OfTorch(torch.nn.BatchNorm1d):
    """torch's layer, with the methods of yours."""

    def __init__(self, size):
        super().__init__(size, dtype=torch.float64)

    def forward(self, x, training=True):
        self.train(training)
        with torch.enable_grad():
            self.given = x.requires_grad_()
            self.result = super().forward(self.given)
        return self.result.detach()

    def backward(self, dout):
        return torch.autograd.grad((self.result * dout).sum(), [self.given, *self.parameters()])


class Torch:
    BatchNorm1d = OfTorch


def batches(generator, *lengths):
    return [2 + 3 * torch.randn(length, 3, generator=generator, dtype=torch.float64) for length in lengths]


def one_batch(on, generator):
    (x,) = batches(generator, 5)
    return {"out": on.new("BatchNorm1d", 3).call("forward", x)}


def there_and_back(on, generator, training):
    first, x, dout = batches(generator, 4, 6, 6)
    layer = on.new("BatchNorm1d", 3)
    layer.call("forward", first)
    layer.call("forward", x, training=training)
    return dict(zip(("dx", "dgamma", "dbeta"), layer.call("backward", dout), strict=True))


def remembered(on, generator):
    layer, found = on.new("BatchNorm1d", 3), {}
    for number, x in enumerate(batches(generator, 5, 4), 1):
        layer.call("forward", x)
        for name in ("running_mean", "running_var"):
            found[f"{name} after batch {number}"] = layer.get(name)
    return found


def evaluated(on, generator):
    first, x, single = batches(generator, 5, 4, 1)
    layer = on.new("BatchNorm1d", 3)
    layer.call("forward", first)
    return {
        "out": layer.call("forward", x, training=False),
        "out of a single example": layer.call("forward", single, training=False),
    }


def test_forward(check):
    check.agrees(one_batch, reference=Torch, tolerance=CLOSE)


def test_backward(check):
    check.agrees(there_and_back, ({"training": True},), reference=Torch, tolerance=CLOSE)


def test_running_statistics(check):
    check.agrees(remembered, reference=Torch, tolerance=CLOSE)


def test_evaluation(check):
    check.agrees(evaluated, reference=Torch, tolerance=CLOSE)


def test_evaluation_backward(check):
    check.agrees(there_and_back, ({"training": False},), reference=Torch, tolerance=CLOSE)
