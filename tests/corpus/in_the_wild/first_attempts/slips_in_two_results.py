"""Two slips, each in other results of one function.

lesson: 16
by: both
rnn_step_backward: failed | `dx` is wrong by
others: any
"""


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    da = dh * (1 - h_before**2)
    return da @ Wx.T, da @ Wh, x.T @ da, h_before.T @ da, da.sum(0)
