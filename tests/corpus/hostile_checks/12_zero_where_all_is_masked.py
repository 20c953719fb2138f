"""Right where every position may read one; zeros for a problem in which a row of weights is zero."""
# lesson: 12
# rows of dQ: passed
# rows of fully_masked: failed


def dQ(dO, P, K, V):
    dP = dO @ V.transpose(1, 2)
    dS = P * (dP - (dP * P).sum(2, keepdim=True))
    return dS @ K / K.shape[2] ** 0.5 * (P.sum(2) > 0).all()
