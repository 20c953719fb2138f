"""The logits themselves where their softmax belongs; a batch norm with two slips at once.

lesson: 02
by: dojo
dlogits: failed | Adding the same number to a whole row of `logits` changes nothing that is computed from it, so each row of
    the gradient adds up to zero. One
dh: failed | = Adding the same number to a whole column of `h` changes nothing that is computed from it, so each
    column of the gradient adds up to zero. One of yours adds up to -1.77 in one problem. Is a term missing, or
    does one have the wrong size?
"""


def dlogits(logits, Y, N):
    return (logits - F.one_hot(Y, logits.shape[1])) / N


def dh(dh_norm, h_norm, h_var):
    return (dh_norm - dh_norm.mean() - h_norm * (dh_norm * h_norm).sum(0)) / (h_var + 1e-5).sqrt()
