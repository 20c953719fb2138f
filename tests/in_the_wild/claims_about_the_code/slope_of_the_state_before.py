"""The slope of the tanh at the state before the step: it is no factor too many, although it was one at a state of zero.

lesson: 16
by: dojo
rnn_step_backward: failed | In `1 - h_before**2`, `h_before` is not the value that belongs there
others: any
"""


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    da = dh * (1 - h_before**2)
    return da @ Wx.T, da @ Wh.T, x.T @ da, h_before.T @ da, da.sum(0)
