"""The hidden suite of lesson 05. In every draw all six sizes differ from each other, also across the three networks.

The layer is judged beside torch's own, with autograd.
"""

import torch

from grader.calling.protocol import CallFailed
from grader.reference.problem import Draw


def nearly_constant(inputs):
    """The variance over the batch is about eps, so a forgotten or misplaced eps changes the answer a lot."""
    inputs["hprebn"] *= 0.002
    inputs["h"] *= 0.001
    inputs["x"] *= 0.002


def faint_unit(inputs):
    """One unit has nearly the same value for every example: its variance is far below eps."""
    inputs["hprebn"][:, 0] *= 1e-4
    inputs["h"][:, 0] *= 1e-4
    inputs["x"][:, 0] *= 1e-4


def repeated_examples(inputs):
    inputs["hprebn"][1] = inputs["hprebn"][0]
    inputs["h"][1] = inputs["h"][0]
    inputs["x"][1] = inputs["x"][0]


DRAWS = (
    Draw({"batch": 6, "hidden": 9, "biased_batch": 5, "biased_hidden": 8, "parts_batch": 7, "parts_hidden": 3}),
    # with two examples and an ordinary variance the gradient is almost zero; a small variance makes it a test
    Draw(
        {"batch": 2, "hidden": 5, "biased_batch": 3, "biased_hidden": 7, "parts_batch": 6, "parts_hidden": 4},
        nearly_constant,
    ),
    Draw(
        {"batch": 4, "hidden": 6, "biased_batch": 2, "biased_hidden": 5, "parts_batch": 9, "parts_hidden": 3},
        nearly_constant,
    ),
    Draw(
        {"batch": 11, "hidden": 4, "biased_batch": 9, "biased_hidden": 3, "parts_batch": 2, "parts_hidden": 7},
        faint_unit,
    ),
    Draw(
        {"batch": 5, "hidden": 3, "biased_batch": 7, "biased_hidden": 4, "parts_batch": 8, "parts_hidden": 6},
        repeated_examples,
    ),
    Draw(
        {"batch": 8, "hidden": 7, "biased_batch": 10, "biased_hidden": 6, "parts_batch": 4, "parts_hidden": 5},
        nearly_constant,
    ),
)


def test_gradient(gradient):
    gradient.check(DRAWS)


# the layer


class TorchLayer:
    """The reference for the student's class: the same methods, computed by torch.nn.BatchNorm1d and autograd."""

    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.layer = torch.nn.BatchNorm1d(size, eps=eps, momentum=momentum, dtype=torch.float64)

    @property
    def gamma(self):
        return self.layer.weight.detach()

    @gamma.setter
    def gamma(self, value):
        self.layer.weight = torch.nn.Parameter(value)

    @property
    def beta(self):
        return self.layer.bias.detach()

    @beta.setter
    def beta(self, value):
        self.layer.bias = torch.nn.Parameter(value)

    @property
    def running_mean(self):
        return self.layer.running_mean

    @property
    def running_var(self):
        return self.layer.running_var

    def forward(self, x, training=True):
        self.layer.train(training)
        with torch.enable_grad():
            self.x = x.clone().requires_grad_()
            self.out = self.layer(self.x)
        return self.out.detach()

    def backward(self, dout):
        return torch.autograd.grad((self.out * dout).sum(), (self.x, self.layer.weight, self.layer.bias))


class Reference:
    BatchNorm1d = TorchLayer


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def batch_of(generator, n, size, spread):
    """Every unit has a mean and a spread of its own."""
    deviations = 0.5 + torch.rand(size, generator=generator, dtype=torch.float64)
    return spread * (normal(generator, n, size) * deviations + normal(generator, size))


def trained_layer(on, generator, size, **settings):
    """A layer whose gain and bias are no longer those it starts with."""
    layer = on.new("BatchNorm1d", size, **settings)
    assign(layer, "gamma", 1 + 0.5 * normal(generator, size))
    assign(layer, "beta", normal(generator, size))
    return layer


def assign(layer, name, value):
    """layer.name = value; where it is a torch parameter, which takes no plain tensor, its value is loaded."""
    try:
        layer.call("__setattr__", name, value)
    except CallFailed as refused:
        try:
            layer.call("load_state_dict", {name: value}, strict=False)
        except CallFailed:
            raise refused from None


def gradients(layer, dout):
    dx, dgamma, dbeta = layer.call("backward", dout)
    return {"dx": dx, "dgamma": dgamma, "dbeta": dbeta}


def statistics(layer):
    return {"running_mean": layer.get("running_mean"), "running_var": layer.get("running_var")}


def outputs(on, generator, n, size, spread, **settings):
    """Of a fresh layer, whose gain is one and bias zero, and of a trained one on two batches of different sizes."""
    fresh = on.new("BatchNorm1d", size, **settings)
    layer = trained_layer(on, generator, size, **settings)
    return {
        "out of a fresh layer": fresh.call("forward", batch_of(generator, n, size, spread)),
        "out": layer.call("forward", batch_of(generator, n, size, spread), training=True),
        "out of the next batch": layer.call("forward", batch_of(generator, n + 1, size, spread)),
    }


def way_back(on, generator, n, size, spread, **settings):
    """After two batches of different sizes: only the latest counts."""
    layer = trained_layer(on, generator, size, **settings)
    layer.call("forward", batch_of(generator, n + 3, size, spread))
    layer.call("forward", batch_of(generator, n, size, spread), training=True)
    return gradients(layer, normal(generator, n, size))


def memory(on, generator, n, size, spread, **settings):
    """The running statistics before anything was seen, after one batch, and after two more."""
    layer = trained_layer(on, generator, size, **settings)
    found = {"before the first batch": statistics(layer)}
    layer.call("forward", batch_of(generator, n, size, spread))
    found["after one batch"] = statistics(layer)
    for more in (3, 1):
        layer.call("forward", batch_of(generator, n + more, size, spread), training=True)
    return found | {"after three batches": statistics(layer)}


def evaluated(on, generator, n, size, spread, **settings):
    """On a batch and on a single example, which must leave no trace in the running statistics."""
    layer = trained_layer(on, generator, size, **settings)
    layer.call("forward", batch_of(generator, n + 2, size, spread))
    layer.call("forward", batch_of(generator, n + 1, size, spread))
    return {
        "out": layer.call("forward", batch_of(generator, n, size, spread), training=False),
        "out of a single example": layer.call("forward", batch_of(generator, 1, size, spread), training=False),
        "afterwards": statistics(layer),
    }


def way_back_evaluated(on, generator, n, size, spread, **settings):
    """In evaluation, and then in training again: each way back belongs to the latest way forward."""
    layer = trained_layer(on, generator, size, **settings)
    layer.call("forward", batch_of(generator, n + 2, size, spread))
    layer.call("forward", batch_of(generator, n, size, spread), training=False)
    evaluation = gradients(layer, normal(generator, n, size))
    layer.call("forward", batch_of(generator, n, size, spread), training=True)
    return {"evaluation": evaluation, "training again": gradients(layer, normal(generator, n, size))}


LAYERS = (
    {"n": 6, "size": 4, "spread": 1.0},
    {"n": 2, "size": 5, "spread": 0.003},
    {"n": 5, "size": 3, "spread": 2.0, "eps": 0.1, "momentum": 0.3},
)
CLOSE = 1e-6
"""A layer that keeps float32 statistics of float64 batches is right; wrong ones are at least a thousand times further
away on one of LAYERS."""


def test_forward(check):
    check.agrees(outputs, LAYERS, Reference, CLOSE)


def test_backward(check):
    check.agrees(way_back, LAYERS, Reference, CLOSE)


def test_running_statistics(check):
    check.agrees(memory, LAYERS, Reference, CLOSE)


def test_evaluation(check):
    check.agrees(evaluated, LAYERS, Reference, CLOSE)


def test_evaluation_backward(check):
    check.agrees(way_back_evaluated, LAYERS, Reference, CLOSE)
