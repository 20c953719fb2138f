"""The public examples that `dojo check 14` runs for the parts of the block: autograd's gradients on small problems.

The hidden test suite uses other problems.
"""

import torch
import torch.nn.functional as F

SIZES = ({"batch": 2, "time": 3, "channels": 5}, {"batch": 4, "time": 1, "channels": 2})


def drawn(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def back(function, dout, *values):
    """The gradients of `values`, where `dout` is the upstream gradient of `function(*values)`."""
    with torch.enable_grad():
        leaves = [value.clone().requires_grad_() for value in values]
        return torch.autograd.grad(function(*leaves), leaves, dout)


class Torch:
    """The same functions by autograd."""

    @staticmethod
    def gelu_backward(dout, x):
        return back(F.gelu, dout, x)[0]

    @staticmethod
    def gelu_tanh_backward(dout, x):
        return back(lambda x: F.gelu(x, approximate="tanh"), dout, x)[0]

    @staticmethod
    def rms_norm_backward(dout, x, gain, eps):
        return back(lambda x, gain: F.rms_norm(x, gain.shape, gain, eps), dout, x, gain)

    @staticmethod
    def through_layers(dlast, x, Ws, Us, residual):
        """Every h gets a change of zero added; the gradients of these changes are those of the h."""

        def run(changes):
            h = x + changes[0]
            for layer, change in enumerate(changes[1:]):
                h = F.gelu(h @ Ws[layer]) @ Us[layer] + (h if residual else 0) + change
            return h

        return back(run, dlast, torch.zeros(len(Ws) + 1, *x.shape, dtype=x.dtype))[0]


def exact(on, generator, **sizes):
    return on.call("gelu_backward", drawn(generator, *sizes.values()), drawn(generator, *sizes.values()))


def tanh_form(on, generator, **sizes):
    return on.call("gelu_tanh_backward", drawn(generator, *sizes.values()), drawn(generator, *sizes.values()))


def normalised(on, generator, batch, time, channels):
    dout, x = drawn(generator, batch, time, channels), drawn(generator, batch, time, channels)
    dx, dgain = on.call("rms_norm_backward", dout, x, drawn(generator, channels), 1e-3)
    return {"dx": dx, "dgain": dgain}


def stacked(on, generator, layers, channels, hidden):
    Ws = drawn(generator, layers, channels, hidden) * channels**-0.5
    Us = drawn(generator, layers, hidden, channels) * hidden**-0.5
    dlast, x = drawn(generator, 4, channels), drawn(generator, 4, channels)
    return {
        case: on.call("through_layers", dlast, x, Ws, Us, residual)
        for case, residual in (("with residual connections", True), ("without residual connections", False))
    }


def test_gelu_backward(check):
    check.agrees(exact, draws=SIZES, reference=Torch)


def test_gelu_tanh_backward(check):
    check.agrees(tanh_form, draws=SIZES, reference=Torch)


def test_dropout_backward(check):
    """A quarter is dropped, so what is left was made larger by 4/3."""
    dout, keep = torch.tensor([3.0, -6.0, 9.0], dtype=torch.float64), torch.tensor([True, True, False])
    check.gives("dropout_backward", (dout, keep, 0.25), torch.tensor([4.0, -8.0, 0.0], dtype=torch.float64))


def test_rms_norm_backward(check):
    check.agrees(normalised, draws=SIZES, reference=Torch)


def test_through_layers(check):
    check.agrees(stacked, draws=({"layers": 3, "channels": 5, "hidden": 6},), reference=Torch)
