"""The slope of the tanh at the state before the step: it is no factor too many, although it was one at a state of zero.

lesson: 16
by: dojo
rnn_step_backward: failed | = In `1 - h_before**2`, look at `h_before`: another value belongs there. With it,
    `rnn_step_backward` is right. Its public example: exercises/16_through_time/examples.py:125
others: any
"""


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    da = dh * (1 - h_before**2)
    return da @ Wx.T, da @ Wh.T, x.T @ da, h_before.T @ da, da.sum(0)
