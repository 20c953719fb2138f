"""The hidden suite of lesson 16: every result is compared with autograd's, part by part."""

import torch

NETWORKS = tuple(
    {"time": time, "batch": batch, "features": features, "hidden": hidden, "gain": gain}
    for time, batch, features, hidden, gain in (
        (6, 3, 4, 5, 1.0),
        (5, 2, 6, 3, 0.4),  # gradients that vanish
        (7, 4, 3, 8, 2.5),  # and states near one
        (1, 2, 3, 4, 1.0),  # a single step
    )
)
STEPS = NETWORKS[:3]
CHUNKED = tuple(
    {**sizes, "k": k}
    for sizes, k in (
        (NETWORKS[0], 2),
        (NETWORKS[0], 4),  # a shorter chunk at the end
        (NETWORKS[1], 1),  # no gradient goes through time at all
        (NETWORKS[2], 3),
        (NETWORKS[1], 5),  # one chunk
        (NETWORKS[2], 50),
    )
)
LONG = (
    {"time": 25, "batch": 2, "features": 3, "hidden": 4, "gain": 0.5},
    {"time": 9, "batch": 3, "features": 2, "hidden": 6, "gain": 3.0},
)
NAMES = ("dx", "dh0", "dWx", "dWh", "db")
STEP_NAMES = ("dx", "dh_before", "dWx", "dWh", "db")
LSTM_NAMES = ("dx", "dh0", "dc0", "dWx", "dWh", "db")
LSTM_STEP_NAMES = ("dx", "dh_before", "dc_before", "dWx", "dWh", "db")


def network(generator, time, batch, features, hidden, gain, gates=1):
    """(x, h0, Wx, Wh, b); `gain` is about the factor by which one step back changes a gradient."""

    def normal(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    Wh = gain * torch.cat([torch.linalg.qr(normal(hidden, hidden)).Q for _ in range(gates)], 1)
    Wx = normal(features, gates * hidden) / features
    return normal(time, batch, features), normal(batch, hidden).tanh(), Wx, Wh, normal(gates * hidden) / 4


def states(x, h0, Wx, Wh, b, k=None):
    """All hidden states; with `k`, no gradient passes from a chunk of k steps to the one before it."""
    h = [h0]
    for t, each in enumerate(x):
        before = h[-1].detach() if k and t and t % k == 0 else h[-1]
        h.append(torch.tanh(each @ Wx + before @ Wh + b))
    return torch.stack(h)


def lstm_step(x, h, c, Wx, Wh, b):
    """(i, f, g, o, c, h) after one step."""
    i, f, g, o = (x @ Wx + h @ Wh + b).chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    c = f * c + i * g
    return i, f, g, o, c, o * c.tanh()


def gradients(function, leaves, upstream):
    leaves = [leaf.clone().requires_grad_() for leaf in leaves]
    return torch.autograd.grad(function(*leaves), leaves, upstream)


class Autograd:
    """The same functions, with PyTorch's own derivatives."""

    rnn = staticmethod(states)

    @staticmethod
    def rnn_backward(dh, x, h0, Wx, Wh, b):
        return gradients(states, (x, h0, Wx, Wh, b), dh)

    @staticmethod
    def truncated_backward(dh, x, h0, Wx, Wh, b, k):
        return gradients(lambda *leaves: states(*leaves, k=k), (x, h0, Wx, Wh, b), dh)

    @staticmethod
    def norms_through_time(dlast, x, h0, Wx, Wh, b):
        h = [h0.clone().requires_grad_()]
        for each in x:
            h.append(torch.tanh(each @ Wx + h[-1] @ Wh + b))
        return torch.stack([each.norm() for each in torch.autograd.grad(h[-1], h, dlast)])

    @staticmethod
    def lstm_backward(dh, x, h0, c0, Wx, Wh, b):
        def run(x, h, c, Wx, Wh, b):
            found = []
            for each in x:
                *_, c, h = lstm_step(each, h, c, Wx, Wh, b)
                found.append(h)
            return torch.stack(found)

        return gradients(run, (x, h0, c0, Wx, Wh, b), dh)


def named(names, called):
    """The parts of a result by their names, and the tensors that were given as they are afterwards."""
    result, arguments = called
    if not isinstance(result, (tuple, list)) or len(result) != len(names):
        raise ValueError(f"it should be `({', '.join(names)})`, a tuple of {len(names)} tensors")
    return {**dict(zip(names, result, strict=True)), "the arguments afterwards": arguments}


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def all_states(on, generator, **sizes):
    return on.call("rnn", *network(generator, **sizes))


def one_step(on, generator, time, batch, features, hidden, gain):
    x, h0, Wx, Wh, b = network(generator, 1, batch, features, hidden, gain)
    h = states(x, h0, Wx, Wh, b)[1]
    return named(STEP_NAMES, on.apply("rnn_step_backward", normal(generator, batch, hidden), h, h0, x[0], Wx, Wh))


def all_steps(on, generator, **sizes):
    x, h0, *weights = network(generator, **sizes)
    dh = normal(generator, len(x) + 1, *h0.shape)
    return named(NAMES, on.apply("rnn_backward", dh, x, h0, *weights))


def in_chunks(on, generator, k, **sizes):
    x, h0, *weights = network(generator, **sizes)
    dh = normal(generator, len(x) + 1, *h0.shape)
    return named(NAMES, on.apply("truncated_backward", dh, x, h0, *weights, k))


def norms(on, generator, **sizes):
    x, h0, *weights = network(generator, **sizes)
    return on.call("norms_through_time", normal(generator, *h0.shape), x, h0, *weights)


def one_lstm_step(on, generator, time, batch, features, hidden, gain):
    (x,), h0, Wx, Wh, b = network(generator, 1, batch, features, hidden, gain, gates=4)
    c0 = normal(generator, batch, hidden)
    i, f, g, o, c, _ = lstm_step(x, h0, c0, Wx, Wh, b)
    dh, dc = normal(generator, batch, hidden), normal(generator, batch, hidden)
    return named(LSTM_STEP_NAMES, on.apply("lstm_step_backward", dh, dc, i, f, g, o, c, c0, h0, x, Wx, Wh))


def all_lstm_steps(on, generator, **sizes):
    x, h0, *weights = network(generator, **sizes, gates=4)
    dh, c0 = normal(generator, len(x), *h0.shape), normal(generator, *h0.shape)
    return named(LSTM_NAMES, on.apply("lstm_backward", dh, x, h0, c0, *weights))


def test_rnn(check):
    check.agrees(all_states, draws=NETWORKS, reference=Autograd)


def test_rnn_step_backward(check):
    check.agrees(one_step, draws=STEPS)


def test_rnn_backward(check):
    check.agrees(all_steps, draws=NETWORKS, reference=Autograd)


def test_truncated_backward(check):
    check.agrees(in_chunks, draws=CHUNKED, reference=Autograd)


def test_norms_through_time(check):
    check.agrees(norms, draws=(*NETWORKS, *LONG), reference=Autograd)


def test_lstm_step_backward(check):
    check.agrees(one_lstm_step, draws=STEPS)


def test_lstm_backward(check):
    check.agrees(all_lstm_steps, draws=NETWORKS, reference=Autograd)
