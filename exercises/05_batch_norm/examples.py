"""The public examples that `dojo check 05` runs: your layer must agree with torch's, on small batches.

The hidden test suite uses other numbers, other settings and another order of calls.
"""

import torch

from grader.calling.protocol import Function

CLOSE = 1e-6  # running statistics may be float32


class OfTorch(torch.nn.BatchNorm1d):
    """torch's layer, with the methods of yours."""

    def __init__(self, size, **settings):
        super().__init__(size, dtype=torch.float64, **settings)

    gamma = property(lambda self: self.weight.data, lambda self, new: self.weight.data.copy_(new))
    beta = property(lambda self: self.bias.data, lambda self, new: self.bias.data.copy_(new))

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


def of_a_layer(BatchNorm1d, wanted, batches, training, upstream):
    """What a new layer gives: for each batch its output or its running statistics then, or its gradients at the end."""
    layer, found = BatchNorm1d(3, eps=0.5, momentum=0.3), {}
    for name, values in {"gamma": [0.5, 2.0, 1.5], "beta": [1.0, -1.0, 0.3]}.items():
        values = torch.tensor(values, dtype=torch.float64)
        try:
            setattr(layer, name, values)
        except TypeError:  # yours is a parameter of torch's
            layer.load_state_dict({name: values}, strict=False)
    for number, (x, is_training) in enumerate(zip(batches, training, strict=True), 1):
        out = layer.forward(x, training=is_training)
        if wanted == "outputs":
            found[f"out of batch {number}"] = out
        elif wanted == "statistics":
            for name in ("running_mean", "running_var"):
                found[f"{name} after batch {number}"] = getattr(layer, name) * 1  # as it is now
    if wanted != "gradients":
        return found
    gradients = layer.backward(upstream)
    return dict(zip(("dx", "dgamma", "dbeta"), gradients, strict=True)) if len(gradients) == 3 else gradients


def results(on, wanted, batches, training, upstream=None):
    """Of your layer, or of torch's."""
    return on.run_with(["BatchNorm1d"], Function(of_a_layer), wanted, batches, training, upstream)


def one_batch(on, generator):
    return results(on, "outputs", batches(generator, 5), [True])


def there_and_back(on, generator, training):
    first, x, dout = batches(generator, 4, 6, 6)
    return results(on, "gradients", [first, x], [True, training], dout)


def remembered(on, generator):
    return results(on, "statistics", batches(generator, 5, 4), [True, True])


def evaluated(on, generator):
    """After one batch of training, on a batch and on a single example."""
    return results(on, "outputs", batches(generator, 5, 4, 1), [True, False, False])


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
