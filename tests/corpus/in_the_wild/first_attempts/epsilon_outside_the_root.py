"""RMSNorm with its epsilon next to the root.

lesson: 14
dW2: passed
rms_norm_backward: failed | = The epsilon is added to the root. RMSNorm adds it to the mean of the squares, before the
    root is taken.
others: any
"""

def rms_norm_backward(dout, x, gain, eps):
    n = x.shape[-1]
    rms = (x ** 2).mean(-1, keepdim=True).sqrt()
    xn = x / (rms + eps)
    dgain = (dout * xn).sum((0, 1))
    g = dout * gain
    dx = (g - xn * (g * xn).sum(-1, keepdim=True) / n) / (rms + eps)
    return dx, dgain
