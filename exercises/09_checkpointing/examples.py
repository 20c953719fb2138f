"""The public examples that `dojo check 09` runs: autograd's gradients on small networks, and measurements.

The hidden test suite uses other networks, and measures on others, too.
"""

import math

import torch

DEEP = {"depth": 36, "every": 12, "batch": 30_000, "width": 3}  # where memory is measured
LONG = {"depth": 60, "every": 4, "batch": 256, "width": 48}  # where processor time is measured
MAX_TIME = 2.4
WRONG_VALUES = (
    "`backward_checkpointed` does not return the right gradients yet: start there. What it costs counts once it does."
)

SMALLEST = """
def checkpoints(x, weights, every):
    return [x.clone() for _ in range(0, len(weights), every)]


def backward_checkpointed(x, weights, dout, every):
    (x @ weights[0]).tanh()
    (x.T @ dout, dout @ weights[0])
    return x, weights
"""  # what every answer needs, measured in a process of its own

PLAIN_WORK = """
def backward_checkpointed(x, weights, dout, every):
    for weight in weights:
        ((x @ weight).tanh(), (x @ weight).tanh())  # forward, and forward again
        (x.T @ dout, dout @ weight, 1 - x**2)  # and back
    return x, weights
"""


def network(generator, depth, batch=3, width=4):
    """(x, weights, dout)"""
    weights = [torch.randn(width, width, generator=generator, dtype=torch.float64) / 2 for _ in range(depth)]
    x, dout = (torch.randn(batch, width, generator=generator, dtype=torch.float64) for _ in range(2))
    return x, weights, dout


def layers(x, weights):
    """The input of every layer, and the output, with torch.nn layers."""
    found = [x]
    for weight in weights:
        layer = torch.nn.Sequential(torch.nn.Linear(*weight.shape, bias=False), torch.nn.Tanh())
        layer[0].weight = torch.nn.Parameter(weight.T)
        found.append(layer(found[-1]))
    return found


class Autograd:
    @staticmethod
    def forward(x, weights):
        return layers(x, weights)[-1].detach()

    @staticmethod
    def backward_all(x, weights, dout):
        with torch.enable_grad():
            leaves = [leaf.clone().requires_grad_() for leaf in (x, *weights)]
            out = leaves[0]
            for weight in leaves[1:]:
                out = torch.tanh(torch.matmul(out, weight))
            dx, *gradients = torch.autograd.grad((out * dout).sum(), leaves)
        return dx, gradients

    @staticmethod
    def backward_checkpointed(x, weights, dout, every):
        return Autograd.backward_all(x, weights, dout)


def output(on, generator, depth):
    return on.call("forward", *network(generator, depth)[:2])


def gradients(on, generator, depth, every=None):
    name = "backward_checkpointed" if every else "backward_all"
    (dx, slopes), arguments = on.apply(name, *network(generator, depth), *([every] if every else []))
    return {"dx": dx, "gradients": slopes, "dout after the call": arguments[2]}


def test_forward(check):
    check.agrees(output, ({"depth": 3}, {"depth": 1}), reference=Autograd)


def test_backward_all(check):
    check.agrees(gradients, ({"depth": 3}, {"depth": 1}), reference=Autograd)


def test_best_spacing(check):
    for depth, fewest in ((12, 7), (56, 15), (80, 18), (90, 19), (300, 35)):
        every = check.on.call("best_spacing", depth)
        every = every.item() if isinstance(every, torch.Tensor) and every.numel() == 1 else every
        if not isinstance(every, (int, float)) or not 1 <= every < math.inf or every != int(every):
            check.fail(f"With {depth} layers, it returns {every!r:.80}; expected a whole number, 1 or more.")
        kept = math.ceil(depth / every) + int(every)
        if kept > fewest + 1:
            check.fail(f"With {depth} layers, a checkpoint for every {every} keeps {kept}; {fewest} are possible.")


def test_checkpoints(check):
    x, weights, _ = network(check.generator(), 7)
    for every, places in ((3, (0, 3, 6)), (7, (0,)), (2, (0, 2, 4, 6))):
        kept = [layers(x, weights)[place].detach() for place in places]
        check.gives("checkpoints", (x, weights, every), kept)
    held = activations(check.measured("checkpoints", for_checkpoints, DEEP, SMALLEST))
    at_most(3 + 12 + 4, held, check)


def test_backward_checkpointed(check):
    check.agrees(gradients, ({"depth": 7, "every": 3}, {"depth": 4, "every": 4}), reference=Autograd)


def for_checkpoints(generator, depth, every, batch, width):
    x, weights, _ = network(generator, depth, batch, width)
    return x, weights, every


def for_backward(generator, depth, every, batch, width):
    return *network(generator, depth, batch, width), every


def from_autograd(generator, depth, every, batch, width):
    dx, slopes = Autograd.backward_all(*network(generator, depth, batch, width))
    return {"dx": dx, "gradients": slopes}


def activations(measured):
    """The memory that a call needed, in units of one activation."""
    return measured.extra_bytes / (DEEP["batch"] * DEEP["width"] * 8)


def held_on_the_way_back(check):
    measured = check.measured("backward_checkpointed", for_backward, DEEP, SMALLEST)
    dx, slopes = measured.value
    check.equals({"dx": dx, "gradients": slopes}, check.once(from_autograd, DEEP), otherwise=WRONG_VALUES)
    return activations(measured)


def at_most(allowed, held, check):
    if held > allowed:
        at = f"With {DEEP['depth']} layers and every = {DEEP['every']}"
        check.fail(f"{at} it needs memory for more than the {allowed} activations that are allowed.")


def test_memory(check):
    at_most(3 + 2 * 12 + 5, held_on_the_way_back(check), check)


def test_release(check):
    at_most(3 + 12 + 8, held_on_the_way_back(check), check)


def test_recomputation(check):
    for depth, every in ((24, 4), (12, 12)):
        given = network(check.generator(), depth)
        (dx, slopes), counts = check.on.counted("backward_checkpointed", *given, every)
        expected = Autograd.backward_all(*given)
        right = dict(zip(("dx", "gradients"), expected, strict=True))
        check.equals({"dx": dx, "gradients": slopes}, right, otherwise=WRONG_VALUES)
        evaluations = sum(counts.dispatched.get(name, 0) for name in ("tanh", "tanh_"))
        if evaluations > 2 * depth:
            found = f"With {depth} layers and every = {every}, tanh was evaluated {evaluations} times"
            check.fail(f"{found}; {2 * depth} are allowed.")
    ratio = check.measured("backward_checkpointed", for_backward, LONG, PLAIN_WORK, MAX_TIME).cpu_ratio
    if ratio > MAX_TIME:
        check.fail(f"It takes {ratio:.1f} times the processor time of the plain work; {MAX_TIME} are allowed.")
