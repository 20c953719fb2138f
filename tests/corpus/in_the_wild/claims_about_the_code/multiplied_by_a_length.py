"""`len(scale)` for `scale`: the length multiplies, so the message may not say that it divides.

lesson: 05
dxhat: failed | is the right one, divided by `scale` (and multiplied by xhat.shape[1])
others: any
"""


def dxhat(dout, scale):
    return dout * len(scale)
