"""Every gradient of the network is computed with a wrong step, also that of the embedding.

lesson: 16
by: dojo
dbo: passed
dC: failed | = In `da @ Wh`, a transpose is missing, one too many, or in the wrong place. In the right form,
    this gradient is right. Write the shapes next to each other: over which axis should the product sum?
rnn_step_backward: failed | = In `da @ Wh`, a transpose is missing, one too many, or in the wrong place. In the
    right form, `rnn_step_backward` is right. Its public example: exercises/16_through_time/examples.py:125
others: any
"""

def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    da = dh * (1 - h**2)
    return da @ Wx.T, da @ Wh, x.T @ da, h_before.T @ da, da.sum(0)
