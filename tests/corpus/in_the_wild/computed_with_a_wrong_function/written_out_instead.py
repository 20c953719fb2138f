"""A function does by itself what the answer key leaves to another one: the other one's known mistakes name its slip.

lesson: 16
rnn_backward: failed | = `h[0]` gets a gradient from outside as well: `dh[0]`.
others: any
"""


def rnn_backward(dh, x, h0, Wx, Wh, b):
    h, dxs, carried = rnn(x, h0, Wx, Wh, b), [], torch.zeros_like(h0)
    dWx, dWh, db = 0, 0, 0
    for t in reversed(range(len(x))):
        dx, carried, dWx_t, dWh_t, db_t = rnn_step_backward(dh[t + 1] + carried, h[t + 1], h[t], x[t], Wx, Wh)
        dxs.insert(0, dx)
        dWx, dWh, db = dWx + dWx_t, dWh + dWh_t, db + db_t
    return torch.stack(dxs), carried, dWx, dWh, db
