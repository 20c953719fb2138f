"""In an LSTM cell, the gates have each other as factors.

lesson: 16
lstm_step_backward: failed | = The gates `i` and `f` do not multiply each other. Which factor does each of them have
    in the line of `c`?
lstm_backward: failed | This is computed with your `lstm_step_backward`, which is not right yet: start there.
"""

def lstm_step_backward(dh, dc, i, f, g, o, c, c_before, h_before, x, Wx, Wh):
    tc = torch.tanh(c)
    do = dh * tc
    dct = dc + dh * o * (1 - tc ** 2)
    df = dct * i
    di = dct * f
    dg = dct * i
    da = torch.cat([di * i * (1 - i), df * f * (1 - f), dg * (1 - g ** 2), do * o * (1 - o)], 1)
    return da @ Wx.T, da @ Wh.T, dct * f, x.T @ da, h_before.T @ da, da.sum(0)
