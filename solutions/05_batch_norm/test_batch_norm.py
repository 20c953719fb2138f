"""The hidden suite of lesson 05. In every draw all six sizes differ from each other, also across the three networks.

The layer is judged beside torch's own, with autograd.
"""

import torch

from grader.calling.protocol import Function
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


def used(BatchNorm1d, size, settings, values, uses):
    """What a layer with these attributes gives in each use: ("statistics",), or (a method, its argument, settings)."""

    def copied(value):
        if isinstance(value, tuple):
            return tuple(map(copied, value))
        return value.clone() if hasattr(value, "clone") else value

    layer, found = BatchNorm1d(size, **settings), []
    for name, value in values.items():
        try:
            setattr(layer, name, value)
        except TypeError:  # a torch parameter, which takes no plain tensor: its value is loaded
            layer.load_state_dict({name: value}, strict=False)
    for use, *given in uses:
        if use == "statistics":
            found.append({name: copied(getattr(layer, name)) for name in ("running_mean", "running_var")})
        else:
            argument, more = given
            found.append(copied(getattr(layer, use)(argument, **more)))
    return found


TRAINING, EVALUATION, BY_DEFAULT = {"training": True}, {"training": False}, {}
STATISTICS = ("statistics",)


def results(on, size, settings, values, *uses):
    """Of the target's layer, in a list."""
    return on.run_with(["BatchNorm1d"], Function(used), size, settings, values, uses)


def trained(generator, size):
    """A gain and a bias as after some training: neither ones nor zeros."""
    return {"gamma": 1 + 0.5 * normal(generator, size), "beta": normal(generator, size)}


def gradients(found):
    """What `backward` returned, by name; as it is where these are not three values."""
    is_whole = isinstance(found, (tuple, list)) and len(found) == 3
    return dict(zip(("dx", "dgamma", "dbeta"), found, strict=True)) if is_whole else found


def outputs(on, generator, n, size, spread, **settings):
    """Of a fresh layer, whose gain is one and bias zero, and of a trained one on two batches of different sizes."""
    values = trained(generator, size)
    fresh, one, two = (("forward", batch_of(generator, each, size, spread)) for each in (n, n, n + 1))
    (first,) = results(on, size, settings, {}, (*fresh, BY_DEFAULT))
    out, following = results(on, size, settings, values, (*one, TRAINING), (*two, BY_DEFAULT))
    return {"out of a fresh layer": first, "out": out, "out of the next batch": following}


def way_back(on, generator, n, size, spread, **settings):
    """After two batches of different sizes: only the latest counts."""
    values = trained(generator, size)
    *_, found = results(
        on,
        size,
        settings,
        values,
        ("forward", batch_of(generator, n + 3, size, spread), BY_DEFAULT),
        ("forward", batch_of(generator, n, size, spread), TRAINING),
        ("backward", normal(generator, n, size), {}),
    )
    return gradients(found)


def memory(on, generator, n, size, spread, **settings):
    """The running statistics before anything was seen, after one batch, and after two more."""
    values = trained(generator, size)
    before, _, first, *_, last = results(
        on,
        size,
        settings,
        values,
        STATISTICS,
        ("forward", batch_of(generator, n, size, spread), BY_DEFAULT),
        STATISTICS,
        ("forward", batch_of(generator, n + 3, size, spread), TRAINING),
        ("forward", batch_of(generator, n + 1, size, spread), TRAINING),
        STATISTICS,
    )
    return {"before the first batch": before, "after one batch": first, "after three batches": last}


def evaluated(on, generator, n, size, spread, **settings):
    """On a batch and on a single example, which must leave no trace in the running statistics."""
    values = trained(generator, size)
    _, _, out, single, after = results(
        on,
        size,
        settings,
        values,
        ("forward", batch_of(generator, n + 2, size, spread), BY_DEFAULT),
        ("forward", batch_of(generator, n + 1, size, spread), BY_DEFAULT),
        ("forward", batch_of(generator, n, size, spread), EVALUATION),
        ("forward", batch_of(generator, 1, size, spread), EVALUATION),
        STATISTICS,
    )
    return {"out": out, "out of a single example": single, "afterwards": after}


def way_back_evaluated(on, generator, n, size, spread, **settings):
    """In evaluation, and then in training again: each way back belongs to the latest way forward."""
    values = trained(generator, size)
    _, _, evaluation, _, again = results(
        on,
        size,
        settings,
        values,
        ("forward", batch_of(generator, n + 2, size, spread), BY_DEFAULT),
        ("forward", batch_of(generator, n, size, spread), EVALUATION),
        ("backward", normal(generator, n, size), {}),
        ("forward", batch_of(generator, n, size, spread), TRAINING),
        ("backward", normal(generator, n, size), {}),
    )
    return {"evaluation": gradients(evaluation), "training again": gradients(again)}


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
