"""The logits themselves where their softmax belongs; a batch norm with two slips at once.

lesson: 02
by: dojo
dlogits: failed | = The value is wrong: the error is 9.2 of the gradient's size. Worst element [0, 4]: found
    -1.76040807, expected 5.76880378e-06.
dh: failed | = Suppose that `dh_norm` is zero except for a 1 in [5, 3]. Then `dh` is zero outside column 3, because
    `h_norm[5, 3]` is computed from those elements alone; yours is -0.00598 in [0, 0].
others: passed
"""


def dlogits(logits, Y, N):
    return (logits - F.one_hot(Y, logits.shape[1])) / N


def dh(dh_norm, h_norm, h_var):
    return (dh_norm - dh_norm.mean() - h_norm * (dh_norm * h_norm).sum(0)) / (h_var + 1e-5).sqrt()
