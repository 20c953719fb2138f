"""The logits themselves where their softmax belongs; a batch norm with two slips at once.

lesson: 02
by: dojo
dlogits: failed
dh: failed
others: passed
"""


def dlogits(logits, Y, N):
    return (logits - F.one_hot(Y, logits.shape[1])) / N


def dh(dh_norm, h_norm, h_var):
    return (dh_norm - dh_norm.mean() - h_norm * (dh_norm * h_norm).sum(0)) / (h_var + 1e-5).sqrt()
