"""What `dojo check 14` asks of the functions that are not gradients of the block: what autograd says of small problems.

A hidden test suite asks with other ones.
"""

import torch
import torch.nn.functional as F

SIZES = ({"batch": 2, "time": 3, "channels": 5}, {"batch": 4, "time": 1, "channels": 2})


def drawn(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def differentiated(function, leaves, upstream):
    with torch.enable_grad():
        leaves = [leaf.clone().requires_grad_() for leaf in leaves]
        return torch.autograd.grad(function(*leaves), leaves, upstream)


class Torch:
    """The same functions by autograd."""

    @staticmethod
    def gelu_backward(dout, x):
        return differentiated(F.gelu, [x], dout)[0]

    @staticmethod
    def gelu_tanh_backward(dout, x):
        return differentiated(lambda x: F.gelu(x, approximate="tanh"), [x], dout)[0]

    @staticmethod
    def rms_norm_backward(dout, x, gain, eps):
        return differentiated(lambda x, gain: F.rms_norm(x, gain.shape, gain, eps), [x, gain], dout)

    @staticmethod
    def through_layers(dlast, x, Ws, Us, residual):
        with torch.enable_grad():
            states = [x.clone().requires_grad_()]
            for layer in range(len(Ws)):
                now = states[-1]
                states.append(F.gelu(now @ Ws[layer]) @ Us[layer] + (now if residual else 0))
            return torch.stack(torch.autograd.grad(states[-1], states, dlast))


def exact(on, generator, **sizes):
    return on.call("gelu_backward", drawn(generator, *sizes.values()), drawn(generator, *sizes.values()))


def tanh_form(on, generator, **sizes):
    return on.call("gelu_tanh_backward", drawn(generator, *sizes.values()), drawn(generator, *sizes.values()))


def normalised(on, generator, batch, time, channels):
    dout, x = drawn(generator, batch, time, channels), drawn(generator, batch, time, channels)
    dx, dgain = on.call("rms_norm_backward", dout, x, drawn(generator, channels), 1e-3)
    return {"dx": dx, "dgain": dgain}


def stacked(on, generator, layers, channels, hidden):
    """The gradients of all states; and their norms, from the bottom of the stack to its top."""
    Ws = drawn(generator, layers, channels, hidden) * channels**-0.5
    Us = drawn(generator, layers, hidden, channels) * hidden**-0.5
    dlast, x = drawn(generator, 4, channels), drawn(generator, 4, channels)
    return {
        case: on.call("through_layers", dlast, x, Ws, Us, residual)
        for case, residual in (("with residual connections", True), ("without", False))
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
