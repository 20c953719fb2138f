"""The hidden suite of lesson 14. In every draw all sizes differ from each other."""

import torch
import torch.nn.functional as F

from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)


def saturated(inputs):
    """Many inputs of the GELU are far from zero, and a position attends to hardly more than one other."""
    inputs["W1"] *= 4
    inputs["Wq"] *= 6


def one_token_repeated(inputs):
    """The last two positions of every example are equal, and so is their dropout."""
    for name in ("x", "keep1", "keep2"):
        inputs[name][:, -1] = inputs[name][:, -2]


def large_mean(inputs):
    """The features of a position have a mean far from zero: layer norm subtracts it, RMSNorm does not."""
    inputs["x"] += 3


DRAWS = (
    Draw({"batch": 3, "time": 5, "channels": 9, "size": 4, "hidden": 7, "p": 0.3}),
    Draw({"batch": 4, "time": 3, "channels": 6, "size": 5, "hidden": 8, "p": 0.5}, FORWARD.small),
    Draw({"batch": 5, "time": 6, "channels": 7, "size": 3, "hidden": 10, "p": 0.2}, saturated),
    Draw({"batch": 2, "time": 4, "channels": 8, "size": 6, "hidden": 5, "p": 0.0}, FORWARD.nothing_dropped),
    Draw({"batch": 3, "time": 7, "channels": 5, "size": 2, "hidden": 9, "p": 0.4}, FORWARD.branches_dropped),
    Draw({"batch": 6, "time": 3, "channels": 10, "size": 7, "hidden": 4, "p": 0.6}, one_token_repeated),
    Draw({"batch": 2, "time": 5, "channels": 11, "size": 8, "hidden": 6, "p": 0.3}, large_mean),
)
SHAPES = tuple(
    {"batch": batch, "time": time, "channels": channels} for batch, time, channels in ((3, 4, 5), (6, 2, 7), (1, 5, 3))
)
STACKS = tuple(
    {"layers": layers, "batch": batch, "channels": channels, "hidden": hidden, "scale": scale}
    for layers, batch, channels, hidden, scale in ((12, 3, 8, 10, 1.0), (2, 5, 4, 7, 2.0), (1, 2, 6, 3, 1.0))
)


def differentiated(function, leaves, upstream):
    leaves = [leaf.clone().requires_grad_() for leaf in leaves]
    return torch.autograd.grad((function(*leaves) * upstream).sum(), leaves)


def layers_by_autograd(dlast, x, Ws, Us, residual):
    """Autograd returns the gradient of each h: they are values of one graph."""
    states = [x.clone().requires_grad_()]
    for W, U in zip(Ws, Us, strict=True):
        branch = F.gelu(states[-1] @ W) @ U
        states.append(states[-1] + branch if residual else branch)
    return torch.stack(torch.autograd.grad((states[-1] * dlast).sum(), states))


class Autograd:
    """The student's functions, by torch's own layers and autograd."""

    through_layers = staticmethod(layers_by_autograd)

    @staticmethod
    def gelu_backward(dout, x):
        return differentiated(F.gelu, [x], dout)[0]

    @staticmethod
    def gelu_tanh_backward(dout, x):
        return differentiated(lambda x: F.gelu(x, approximate="tanh"), [x], dout)[0]

    @staticmethod
    def dropout_backward(dout, keep, p):
        return differentiated(lambda x: x * keep / (1 - p), [dout], dout)[0]

    @staticmethod
    def rms_norm_backward(dout, x, gain, eps):
        return differentiated(lambda x, gain: F.rms_norm(x, gain.shape, gain, eps), [x, gain], dout)


def drawn(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


AFTERWARDS = "an argument after the call"


def of_gelu(name):
    """The scenario of either form: ordinary values, values far from zero on both sides, and zero itself."""

    def scenario(on, generator, batch, time, channels):
        x = drawn(generator, batch, time, channels)
        found, changed = {}, {}
        for case, given in (
            ("dx", x),
            ("dx where x is large", 6 * x),
            ("dx where some of x is zero", x * (drawn(generator, *x.shape) > 0)),
        ):
            found[case], changed[f"{AFTERWARDS}, {case}"] = on.apply(name, drawn(generator, *x.shape), given)
        return found | changed

    return scenario


def dropped(on, generator, batch, time, channels):
    found = {}
    for p in (0.3, 0.75, 0.0):
        keep = torch.rand((batch, time, channels), generator=generator, dtype=torch.float64) >= p
        called = on.apply("dropout_backward", drawn(generator, *keep.shape), keep, p)
        found[f"dx with p = {p}"], found[f"{AFTERWARDS} with p = {p}"] = called
    return found


def normalised(on, generator, batch, time, channels):
    x, gain, found = drawn(generator, batch, time, channels), 1 + drawn(generator, channels) / 3, {}
    zero = x * torch.tensor([0.0] + [1.0] * (batch * time - 1), dtype=torch.float64).view(batch, time, 1)
    for case, given, eps in (
        ("", x, 1e-5),
        (" where x is as small as the root of eps", x * 0.003, 1e-5),
        (" where the mean is not zero", x + 3, 1e-3),
        (" where one position is zero", zero, 1e-2),
    ):
        (dx, dgain), arguments = on.apply("rms_norm_backward", drawn(generator, *x.shape), given, gain, eps)
        found |= {f"dx{case}": dx, f"dgain{case}": dgain, f"{AFTERWARDS}{case}": arguments}
    return found


def stacked(on, generator, layers, batch, channels, hidden, scale):
    Ws = drawn(generator, layers, channels, hidden) * channels**-0.5 * scale
    Us = drawn(generator, layers, hidden, channels) * hidden**-0.5
    dlast, x = drawn(generator, batch, channels), drawn(generator, batch, channels)
    found = {}
    for case, residual in (("with residual connections", True), ("without residual connections", False)):
        called = on.apply("through_layers", dlast, x, Ws, Us, residual)
        found[f"gradients {case}"], found[f"{AFTERWARDS} {case}"] = called
    return found


def test_gradient(gradient):
    gradient.check(DRAWS)


def test_gelu_backward(check):
    check.agrees(of_gelu("gelu_backward"), draws=SHAPES, reference=Autograd)


def test_gelu_tanh_backward(check):
    check.agrees(of_gelu("gelu_tanh_backward"), draws=SHAPES, reference=Autograd)


def test_dropout_backward(check):
    check.agrees(dropped, draws=SHAPES, reference=Autograd)


def test_rms_norm_backward(check):
    check.agrees(normalised, draws=SHAPES, reference=Autograd)


def test_through_layers(check):
    check.agrees(stacked, draws=STACKS, reference=Autograd)
