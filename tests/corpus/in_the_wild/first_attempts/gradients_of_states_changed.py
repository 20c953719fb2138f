"""The gradients from outside are used as the running sum, in place.

lesson: 16
rnn_backward: failed | An argument has been changed in place
others: any
"""


def rnn_backward(dh, x, h0, Wx, Wh, b):
    h = rnn(x, h0, Wx, Wh, b)
    dx, dWx, dWh, db = torch.zeros_like(x), torch.zeros_like(Wx), torch.zeros_like(Wh), torch.zeros_like(b)
    for t in reversed(range(len(x))):
        dx[t], before, a, c, e = rnn_step_backward(dh[t + 1], h[t + 1], h[t], x[t], Wx, Wh)
        dWx += a
        dWh += c
        db += e
        dh[t] += before
    return dx, dh[0], dWx, dWh, db
