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
    # TODO: replace the next line by your own
    raise NotImplementedError


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    """Back through one step, `h = tanh(x @ Wx + h_before @ Wh + b)`.

    dh: the upstream gradient of `h`, (batch, hidden); x: (batch, features), the input of this step
    Returns `(dx, dh_before, dWx, dWh, db)`, each with the shape of its value; db has the shape (hidden,).
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def rnn_backward(dh, x, h0, Wx, Wh, b):
    """Run the network, and go back through all steps.

    dh: (time + 1, batch, hidden), what each of the states h[0], h[1] ... gets from outside the network: from a loss at
        that step, for example. It does not contain what comes back from the later steps.
    x: (time, batch, features); h0: (batch, hidden)
    Returns `(dx, dh0, dWx, dWh, db)`.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def truncated_backward(dh, x, h0, Wx, Wh, b, k):
    """The same in chunks of `k` steps: steps 0 ... k - 1, k ... 2k - 1, and so on (the last one may be shorter).

    Each chunk starts from the state that the one before it ends with. But no gradient goes back from a chunk to that
    state. The states at the borders, h[k], h[2k] ..., get a gradient from outside only. With k >= time nothing is cut.
    Returns `(dx, dh0, dWx, dWh, db)`.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def norms_through_time(dlast, x, h0, Wx, Wh, b):
    """How large the gradient of each hidden state is if only the last one gets a gradient from outside.

    dlast: (batch, hidden), the upstream gradient of the last state
    Returns a tensor of shape (time + 1,): the norm of the gradient of h[0], h[1] ... h[time] (the root of the sum of
    all squares, over batch and features together).
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


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
    # TODO: replace the next line by your own
    raise NotImplementedError


def lstm_backward(dh, x, h0, c0, Wx, Wh, b):
    """Run an LSTM cell over all steps, and go back.

    dh: (time, batch, hidden), what the hidden state after each step gets from outside; x: (time, batch, features)
    h0, c0: (batch, hidden), the states before the first step
    Returns `(dx, dh0, dc0, dWx, dWh, db)`.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


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
    # TODO: replace the next line by your own
    raise NotImplementedError


def clip(gradients, most):
    """Clip by the norm of all gradients together, as in lesson 15.

    gradients: {name: tensor}; most: a number
    Returns (clipped, norm). If the norm is larger than `most`, `clipped` has all gradients, scaled by the same factor
    so that their norm is `most`; else it has them as they are. The norm is that before clipping. Leave `gradients` as
    it is.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
