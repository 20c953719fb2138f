"""Both means of a batch norm run over all elements: the same slip twice in one line.

lesson: 02
dh: failed | = Each `mean()` in this line reduces over another axis than it should; otherwise your `dh` is right. Along
    which axis did the forward pass reduce?
others: passed
"""

def dh(dh_norm, h_norm, h_var):
    return (dh_norm - dh_norm.mean() - h_norm * (dh_norm * h_norm).mean()) / (h_var + 1e-5).sqrt()
