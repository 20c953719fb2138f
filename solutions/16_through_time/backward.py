"""Lesson 16: recurrent networks, backwards through time.

A plain recurrent network has one hidden state for each step, and the same weights at every step:

    h[t + 1] = tanh(x[t] @ Wx + h[t] @ Wh + b)              for t = 0 ... time - 1; h[0] is given

x is (time, batch, features), h is (time + 1, batch, hidden), Wx (features, hidden), Wh (hidden, hidden), b (hidden,).
The LSTM cell is described at its function. Leave all arguments as they are.

At the end, a plain network reads names and learns from your gradients. `gradients` puts an embedding below it and a
head with cross-entropy on top; `clip` shortens gradients that are too long.

Check as often as you like:  dojo check 16
And then:                    dojo train 16
"""

import torch
import torch.nn.functional as F


def rnn(x, h0, Wx, Wh, b):
    """All hidden states of the plain recurrent network: (time + 1, batch, hidden), the given `h0` first.

    x: (time, batch, features); h0: (batch, hidden)
    """
    # <answer>
    h = [h0]
    for each in x:
        h.append(torch.tanh(each @ Wx + h[-1] @ Wh + b))
    return torch.stack(h)
    # </answer>


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    """Back through one step, `h = tanh(x @ Wx + h_before @ Wh + b)`.

    dh: the upstream gradient of `h`, (batch, hidden); x: (batch, features), the input of this step
    Returns `(dx, dh_before, dWx, dWh, db)`, each with the shape of its value; db has the shape (hidden,).
    """
    # <answer>
    da = dh * (1 - h**2)
    return da @ Wx.T, da @ Wh.T, x.T @ da, h_before.T @ da, da.sum(0)
    # </answer>


def rnn_backward(dh, x, h0, Wx, Wh, b):
    """Run the network, and go back through all steps.

    dh: (time + 1, batch, hidden), what each of the states h[0], h[1] ... gets from outside the network: from a loss at
        that step, for example. It does not contain what comes back from the later steps.
    x: (time, batch, features); h0: (batch, hidden)
    Returns `(dx, dh0, dWx, dWh, db)`.
    """
    # <answer>
    return truncated_backward(dh, x, h0, Wx, Wh, b, len(x))
    # </answer>


def truncated_backward(dh, x, h0, Wx, Wh, b, k):
    """The same in chunks of `k` steps: steps 0 ... k - 1, k ... 2k - 1, and so on (the last one may be shorter).

    Each chunk starts from the state that the one before it ends with. But no gradient goes back from a chunk to that
    state. The states at the borders, h[k], h[2k] ..., get a gradient from outside only. With k >= time nothing is cut.
    Returns `(dx, dh0, dWx, dWh, db)`.
    """
    # <answer>
    h = rnn(x, h0, Wx, Wh, b)
    dx, dWx, dWh, db = (torch.zeros_like(value) for value in (x, Wx, Wh, b))
    carried = torch.zeros_like(h0)  # what comes back from the step after this one
    for t in reversed(range(len(x))):
        dx[t], carried, dWx_t, dWh_t, db_t = rnn_step_backward(dh[t + 1] + carried, h[t + 1], h[t], x[t], Wx, Wh)
        dWx += dWx_t
        dWh += dWh_t
        db += db_t
        if t > 0 and t % k == 0:  # the first step of a chunk: its state was given
            carried = torch.zeros_like(carried)
    return dx, dh[0] + carried, dWx, dWh, db
    # </answer>


def norms_through_time(dlast, x, h0, Wx, Wh, b):
    """How large the gradient of each hidden state is if only the last one gets a gradient from outside.

    dlast: (batch, hidden), the upstream gradient of the last state
    Returns a tensor of shape (time + 1,): the norm of the gradient of h[0], h[1] ... h[time] (the root of the sum of
    all squares, over batch and features together).
    """
    # <answer>
    norms = [dlast.norm()]
    for state in reversed(rnn(x, h0, Wx, Wh, b)[1:]):
        dlast = (dlast * (1 - state**2)) @ Wh.T
        norms.append(dlast.norm())
    return torch.stack(norms[::-1])
    # </answer>


def lstm_step_backward(dh, dc, i, f, g, o, c, c_before, h_before, x, Wx, Wh):
    """Back through one step of an LSTM cell, in the form and order of torch.nn.LSTM:

        a = x @ Wx + h_before @ Wh + b                      (batch, 4 * hidden): for i, f, g, o side by side
        i, f, o = sigmoid of their parts of a;  g = tanh of its part
        c = f * c_before + i * g
        h = o * tanh(c)

    dh, dc: the upstream gradients of `h` and of `c`, (batch, hidden); dc does not contain what comes through `h`
    Wx: (features, 4 * hidden); Wh: (hidden, 4 * hidden)
    Returns `(dx, dh_before, dc_before, dWx, dWh, db)`; db has the shape (4 * hidden,).
    """
    # <answer>
    tanh_c = torch.tanh(c)
    do = dh * tanh_c
    dc = dc + dh * o * (1 - tanh_c**2)
    di, df, dg = dc * g, dc * c_before, dc * i
    da = torch.cat((di * i * (1 - i), df * f * (1 - f), dg * (1 - g**2), do * o * (1 - o)), 1)
    return da @ Wx.T, da @ Wh.T, dc * f, x.T @ da, h_before.T @ da, da.sum(0)
    # </answer>


def lstm_backward(dh, x, h0, c0, Wx, Wh, b):
    """Run an LSTM cell over all steps, and go back.

    dh: (time, batch, hidden), what the hidden state after each step gets from outside; x: (time, batch, features)
    h0, c0: (batch, hidden), the states before the first step
    Returns `(dx, dh0, dc0, dWx, dWh, db)`.
    """
    # <answer>
    h, c, steps = h0, c0, []
    for each in x:
        i, f, g, o = (each @ Wx + h @ Wh + b).chunk(4, 1)
        i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
        c_before, h_before = c, h
        c = i * g + f * c_before
        h = o * torch.tanh(c)
        steps.append((i, f, g, o, c, c_before, h_before, each))
    dx, dWx, dWh, db = (torch.zeros_like(value) for value in (x, Wx, Wh, b))
    dh_back, dc_back = torch.zeros_like(h0), torch.zeros_like(c0)
    for t in reversed(range(len(x))):
        found = lstm_step_backward(dh[t] + dh_back, dc_back, *steps[t], Wx, Wh)
        dx[t], dh_back, dc_back = found[:3]
        dWx += found[3]
        dWh += found[4]
        db += found[5]
    return dx, dh_back, dc_back, dWx, dWh, db
    # </answer>


def gradients(parameters, X, Y):
    """The loss of a network that reads names, and the gradient of each parameter: forward pass and backward pass.

    X (batch, time) int64: the tokens that are read, one at each step. Y (batch, time) int64: the token after each, or
    -1 where none is to be predicted. `parameters` is a dict:

        C (vocabulary, features)                                 the embedding: C[X] is what the network reads
        h0 (hidden,)                                             the state of every example before the first token
        Wx (features, hidden), Wh (hidden, hidden), b (hidden,)  the recurrent network
        Wo (hidden, vocabulary), bo (vocabulary,)                the head of each state after h[0]: h @ Wo + bo

    The loss is the mean cross-entropy over the positions that have a next token.
    Returns (loss, {name: gradient}), with a gradient for each name in `parameters`, of its shape and dtype. None stands
    for a gradient that you have not written yet.
    """
    # <answer>
    p = parameters
    x = p["C"][X].transpose(0, 1)
    h0 = p["h0"].expand(len(X), -1)
    h = rnn(x, h0, p["Wx"], p["Wh"], p["b"])
    states = h[1:].transpose(0, 1)
    logits = states @ p["Wo"] + p["bo"]
    known = Y >= 0
    loss = F.cross_entropy(logits[known], Y[known])
    # cross-entropy, where there is a next token
    dlogits = torch.zeros_like(logits)
    count = known.sum()
    dlogits[known] = (F.softmax(logits[known], 1) - F.one_hot(Y[known], logits.shape[2])) / count
    # the head
    dWo = states.flatten(0, 1).T @ dlogits.flatten(0, 1)
    dbo = dlogits.sum((0, 1))
    dh = torch.zeros_like(h)
    dh[1:] = (dlogits @ p["Wo"].T).transpose(0, 1)
    # through time
    dx, dh0, dWx, dWh, db = rnn_backward(dh, x, h0, p["Wx"], p["Wh"], p["b"])
    # the embedding
    dC = torch.zeros_like(p["C"])
    dC.index_add_(0, X.flatten(), dx.transpose(0, 1).flatten(0, 1))
    return loss, {"C": dC, "h0": dh0.sum(0), "Wx": dWx, "Wh": dWh, "b": db, "Wo": dWo, "bo": dbo}
    # </answer>


def clip(gradients, most):
    """Clip by the norm of all gradients together, as in lesson 15.

    gradients: {name: tensor}; most: a number
    Returns (clipped, norm). If the norm is larger than `most`, `clipped` has all gradients, scaled by the same factor
    so that their norm is `most`; else it has them as they are. The norm is that before clipping. Leave `gradients` as
    it is.
    """
    # <answer>
    norm = sum(gradient.square().sum() for gradient in gradients.values()) ** 0.5
    factor = min(1.0, most / float(norm)) if norm > 0 else 1.0
    return {name: gradient * factor for name, gradient in gradients.items()}, norm
    # </answer>
