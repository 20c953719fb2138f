"""The mean over the batch is missing inside of batch norm's gradient.

lesson: 05
by: both
dh: failed | = `dh_bn * h_norm` is used element by element. With its sum or mean over an axis in that place,
    your `dh` is right.
"""

def dh(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (h_var + 1e-5).sqrt() * (dh_bn - dh_bn.mean(0) - h_norm * (dh_bn * h_norm))
