"""The hidden suite of lesson 16: every result is compared with autograd's, part by part."""

import torch

from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)


def sizes(*numbers):
    return dict(zip(("batch", "time", "vocabulary", "features", "hidden"), numbers, strict=True))


def hardly_anything_known(inputs):
    """Only one of all positions has a next token: the second step of the last example."""
    inputs["Y"][:] = -1
    inputs["Y"][-1, 1] = 2


def only_the_end_known(inputs):
    """Only the last step predicts a token: the whole gradient goes through time."""
    inputs["Y"][:, :-1] = -1
    inputs["Y"][:, -1] = 3


DRAWS = (
    Draw(sizes(4, 6, 11, 3, 7)),
    Draw(sizes(3, 5, 7, 4, 6), FORWARD.all_positions),
    Draw(sizes(5, 7, 8, 2, 3), FORWARD.one_token),
    Draw(sizes(6, 4, 9, 5, 8), FORWARD.saturated),
    Draw(sizes(2, 9, 6, 3, 5), FORWARD.exploding),
    Draw(sizes(4, 5, 7, 6, 3), hardly_anything_known),
    Draw(sizes(3, 8, 5, 2, 4), only_the_end_known),
    Draw(sizes(7, 1, 6, 4, 5), FORWARD.all_positions),
)


def test_gradient(gradient):
    gradient.check(DRAWS)


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


def differentiated(function, leaves, upstream):
    leaves = [leaf.clone().requires_grad_() for leaf in leaves]
    return torch.autograd.grad((function(*leaves) * upstream).sum(), leaves)


class Autograd:
    """The same functions, with PyTorch's own derivatives."""

    rnn = staticmethod(states)

    @staticmethod
    def rnn_backward(dh, x, h0, Wx, Wh, b):
        return differentiated(states, (x, h0, Wx, Wh, b), dh)

    @staticmethod
    def truncated_backward(dh, x, h0, Wx, Wh, b, k):
        return differentiated(lambda *leaves: states(*leaves, k=k), (x, h0, Wx, Wh, b), dh)

    @staticmethod
    def norms_through_time(dlast, x, h0, Wx, Wh, b):
        h = [h0.clone().requires_grad_()]
        for each in x:
            h.append(torch.tanh(each @ Wx + h[-1] @ Wh + b))
        return torch.stack([each.norm() for each in torch.autograd.grad((h[-1] * dlast).sum(), h)])

    @staticmethod
    def lstm_backward(dh, x, h0, c0, Wx, Wh, b):
        def run(x, h, c, Wx, Wh, b):
            found = []
            for each in x:
                *_, c, h = lstm_step(each, h, c, Wx, Wh, b)
                found.append(h)
            return torch.stack(found)

        return differentiated(run, (x, h0, c0, Wx, Wh, b), dh)

    @staticmethod
    def gradients(parameters, X, Y):
        t = Pass({**parameters, "X": X, "Y": Y})
        FORWARD.forward(t)
        return t.loss, {}

    @staticmethod
    def clip(gradients, most):
        norm = torch.linalg.vector_norm(torch.cat([gradient.flatten() for gradient in gradients.values()]))
        factor = most / norm if norm > most else 1.0
        return {name: gradient * factor for name, gradient in gradients.items()}, norm


class Pass:
    """What `FORWARD.forward` calls `t`, without cuts."""

    def __init__(self, values):
        vars(self).update(values)


def named(names, called):
    """The parts of a result by their names, and the tensors that were given as they are afterwards."""
    result, arguments = called
    if not isinstance(result, (tuple, list)) or len(result) != len(names):
        raise ValueError(f"it should be `({', '.join(names)})`, a tuple of {len(names)} tensors")
    return {**dict(zip(names, result, strict=True)), "an argument after the call": arguments}


def with_arguments(result, arguments):
    return {"the result": result, "an argument after the call": arguments}


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def all_states(on, generator, **sizes):
    return with_arguments(*on.apply("rnn", *network(generator, **sizes)))


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
    return with_arguments(*on.apply("norms_through_time", normal(generator, *h0.shape), x, h0, *weights))


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


# --- the network that reads names: its loss, and clipping ---


def parameters_of(drawn):
    return {name: drawn[name].double() for name in FORWARD.PARAMETERS}


def loss_of_a_batch(on, generator, **of):
    drawn = FORWARD.inputs(generator, **of)
    result = on.call("gradients", parameters_of(drawn), drawn["X"], drawn["Y"])
    return {"loss": result["loss"] if isinstance(result, dict) else result[0]}


def test_loss(check):
    check.agrees(
        loss_of_a_batch, (sizes(4, 6, 9, 3, 5), sizes(6, 5, 7, 2, 8), sizes(3, 8, 6, 4, 7)), reference=Autograd
    )


def clipped_gradients(on, generator, scale, most, length=None, **of):
    given = {name: value * scale for name, value in parameters_of(FORWARD.inputs(generator, **of)).items()}
    if scale == 0.5:  # one gradient is far larger than the others
        given["bo"] = given["bo"] * 100
    if length is not None:  # of all gradients as one vector
        norm = torch.cat([value.flatten() for value in given.values()]).norm()
        given = {name: value * (length / norm) for name, value in given.items()}
    (clipped, norm), arguments = on.apply("clip", given, most)
    return {"norm": norm, **clipped, "the gradients afterwards": arguments[0]}


def test_clip(check):
    draws = (
        {"scale": 1.0, "most": 1.0},
        {"scale": 0.5, "most": 3.0},
        {"scale": 1e-3, "most": 1.0},
        {"scale": 0.0, "most": 2.0},
        {"scale": 1.0, "most": 4.0, "length": 2.5},
        {"scale": 1.0, "most": 0.25, "length": 0.75},
    )
    check.agrees(clipped_gradients, tuple({**draw, **sizes(3, 4, 7, 2, 5)} for draw in draws), reference=Autograd)
