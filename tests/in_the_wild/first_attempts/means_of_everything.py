"""Both means of a batch norm run over all elements: the same slip twice in one line.

lesson: 02
dh: failed | = Suppose that `dh_norm` is zero except for a 1 in [3, 4]. Then `dh` is zero outside column 4, because
    `h_norm[3, 4]` is computed from those elements alone; yours is -0.035 in [0, 0].
others: passed
"""

def dh(dh_norm, h_norm, h_var):
    return (dh_norm - dh_norm.mean() - h_norm * (dh_norm * h_norm).mean()) / (h_var + 1e-5).sqrt()
