"""The public examples of `dojo check 16`: small networks, compared with torch.nn.RNN, torch.nn.LSTM and autograd.

Your grade comes from the hidden test suite, which uses other networks.
"""

import torch

SIZES = ({"time": 4, "batch": 2, "features": 3, "hidden": 5}, {"time": 7, "batch": 3, "features": 2, "hidden": 4})


def drawn(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def network(generator, time, batch, features, hidden, gates=1):
    """(x, h0, Wx, Wh, b)"""
    Wx, Wh = drawn(generator, features, gates * hidden) / 2, drawn(generator, hidden, gates * hidden) / 2
    return (
        drawn(generator, time, batch, features),
        drawn(generator, batch, hidden) / 2,
        Wx,
        Wh,
        drawn(generator, gates * hidden) / 2,
    )


def layer(kind, Wx, Wh, b):
    """One of torch's layers, with these weights. It has a second bias, which is zero here."""
    made = kind(len(Wx), len(Wh), dtype=torch.float64)
    parameters = (Wx.T, Wh.T, b, torch.zeros_like(b))
    for name, value in zip(("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"), parameters, strict=True):
        setattr(made, name, torch.nn.Parameter(value.clone()))
    return made


def differentiated(run, leaves, upstream):
    with torch.enable_grad():
        leaves = [leaf.clone().requires_grad_() for leaf in leaves]
        return torch.autograd.grad((run(*leaves) * upstream).sum(), leaves)


def one_after_the_other(x, h0, Wx, Wh, b, k=10**9):
    """Chunk by chunk: `.detach()` is what cuts the gradient off."""
    h, found = h0, [h0]
    for start in range(0, len(x), k):
        h = h.detach() if start else h
        for each in x[start : start + k]:
            h = torch.tanh(each @ Wx + h @ Wh + b)
            found.append(h)
    return torch.stack(found)


def lstm_layer(x, h0, c0, Wx, Wh, b):
    """(every h, the last h and c with an axis of layers in front)"""
    parameters = {"weight_ih_l0": Wx.T, "weight_hh_l0": Wh.T, "bias_ih_l0": b, "bias_hh_l0": 0 * b}
    made = layer(torch.nn.LSTM, Wx, Wh, b)
    return torch.func.functional_call(made, parameters, (x, (h0[None], c0[None])))


class Torch:
    """The same functions by torch's own layers and autograd."""

    @staticmethod
    def rnn(x, h0, Wx, Wh, b):
        return torch.cat((h0[None], layer(torch.nn.RNN, Wx, Wh, b)(x, h0[None])[0].detach()))

    @staticmethod
    def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
        bias = (h.atanh() - x @ Wx - h_before @ Wh)[0]
        return differentiated(lambda x, h, Wx, Wh, b: torch.tanh(x @ Wx + h @ Wh + b), (x, h_before, Wx, Wh, bias), dh)

    @staticmethod
    def rnn_backward(dh, *network):
        return differentiated(one_after_the_other, network, dh)

    @staticmethod
    def truncated_backward(dh, *network):
        *leaves, k = network
        return differentiated(lambda *leaves: one_after_the_other(*leaves, k), leaves, dh)

    @staticmethod
    def norms_through_time(dlast, x, h0, *weights):
        def from_step(t, h):
            return differentiated(lambda h: one_after_the_other(x[t:], h, *weights)[-1], [h], dlast)[0]

        states = one_after_the_other(x, h0, *weights)
        return torch.stack([from_step(t, h).norm() for t, h in enumerate(states)])

    @staticmethod
    def lstm_step_backward(dh, dc, i, f, g, o, c, c_before, h_before, x, Wx, Wh):
        bias = (torch.cat((i.logit(), f.logit(), g.atanh(), o.logit()), 1) - x @ Wx - h_before @ Wh)[0]
        leaves = (x[None], h_before, c_before, Wx, Wh, bias)
        dx, *others = differentiated(lambda *leaves: torch.cat(lstm_layer(*leaves)[1]), leaves, torch.stack((dh, dc)))
        return dx[0], *others

    @staticmethod
    def lstm_backward(dh, *network):
        return differentiated(lambda *network: lstm_layer(*network)[0], network, dh)


NAMES = ("dx", "dh0", "dWx", "dWh", "db")


def by_name(names, result):
    """The parts of a result by their names, so that a message can name one."""
    if isinstance(result, (tuple, list)) and len(result) == len(names):
        return dict(zip(names, result, strict=True))
    return result


def states(on, generator, **sizes):
    return on.call("rnn", *network(generator, **sizes))


def step(on, generator, **sizes):
    (x, *_), h0, Wx, Wh, b = network(generator, **sizes)
    dh, h = drawn(generator, *h0.shape), torch.tanh(x @ Wx + h0 @ Wh + b)
    return by_name(("dx", "dh_before", "dWx", "dWh", "db"), on.call("rnn_step_backward", dh, h, h0, x, Wx, Wh))


def whole(on, generator, **sizes):
    x, h0, *weights = network(generator, **sizes)
    return by_name(NAMES, on.call("rnn_backward", drawn(generator, len(x) + 1, *h0.shape), x, h0, *weights))


def chunks(on, generator, **sizes):
    x, h0, *weights = network(generator, **sizes)
    dh = drawn(generator, len(x) + 1, *h0.shape)
    return by_name(NAMES, on.call("truncated_backward", dh, x, h0, *weights, 3))


def norms(on, generator, **sizes):
    x, h0, *weights = network(generator, **sizes)
    return on.call("norms_through_time", drawn(generator, *h0.shape), x, h0, *weights)


def lstm_step(on, generator, **sizes):
    (x, *_), h0, Wx, Wh, b = network(generator, **sizes, gates=4)
    i, f, g, o = (x @ Wx + h0 @ Wh + b).chunk(4, 1)
    i, f, g, o, c0 = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid(), drawn(generator, *h0.shape)
    dh, dc = drawn(generator, *h0.shape), drawn(generator, *h0.shape)
    found = on.call("lstm_step_backward", dh, dc, i, f, g, o, f * c0 + i * g, c0, h0, x, Wx, Wh)
    return by_name(("dx", "dh_before", "dc_before", "dWx", "dWh", "db"), found)


def lstm(on, generator, **sizes):
    x, h0, *weights = network(generator, **sizes, gates=4)
    dh, c0 = drawn(generator, len(x), *h0.shape), drawn(generator, *h0.shape)
    return by_name(("dx", "dh0", "dc0", "dWx", "dWh", "db"), on.call("lstm_backward", dh, x, h0, c0, *weights))


def test_rnn(check):
    check.agrees(states, draws=SIZES, reference=Torch)


def test_rnn_step_backward(check):
    check.agrees(step, draws=SIZES, reference=Torch)


def test_rnn_backward(check):
    check.agrees(whole, draws=SIZES, reference=Torch)


def test_truncated_backward(check):
    check.agrees(chunks, draws=SIZES, reference=Torch)


def test_norms_through_time(check):
    check.agrees(norms, draws=SIZES, reference=Torch)


def test_lstm_step_backward(check):
    check.agrees(lstm_step, draws=SIZES, reference=Torch)


def test_lstm_backward(check):
    check.agrees(lstm, draws=SIZES, reference=Torch)


def test_loss(check):
    """One feature, one state, weights of zero: the logits are `bo`, at the two places that have a next token."""
    parameters = {name: torch.zeros(shape, dtype=torch.float64) for name, shape in SHAPES.items()}
    parameters["bo"] += torch.tensor([1.0, 2.0, 3.0]).log()
    result = check.on.call("gradients", parameters, torch.tensor([[0, 1, 0]]), torch.tensor([[1, 2, -1]]))
    loss = result["loss"] if isinstance(result, dict) else result[0]
    check.equals({"loss": loss}, {"loss": torch.tensor([3.0, 2.0], dtype=torch.float64).log().mean()})


SHAPES = {"C": (3, 1), "h0": (1,), "Wx": (1, 1), "Wh": (1, 1), "b": (1,), "Wo": (1, 3), "bo": (3,)}


def two(*numbers):
    Wh, b = torch.tensor(numbers[:2], dtype=torch.float64), torch.tensor(numbers[2:], dtype=torch.float64)
    return {"Wh": Wh, "b": b}


def test_clip(check):
    (clipped, norm), _ = check.on.apply("clip", two(2.0, -1.0, 2.0), 1.5)
    check.equals({"norm": norm, **clipped}, {"norm": 3.0, **two(1.0, -0.5, 1.0)})
    (clipped, norm), _ = check.on.apply("clip", two(2.0, -1.0, 2.0), 4.0)
    check.equals({"norm of short ones": norm, **clipped}, {"norm of short ones": 3.0, **two(2.0, -1.0, 2.0)})
