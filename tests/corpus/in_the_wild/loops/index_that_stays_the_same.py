"""A number in an index where the variable of the loop belongs.

lesson: 03
by: both
dC: failed | rows are wrong
"""


def dC(demb, Xb, C):
    g = torch.zeros_like(C)
    for i in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            g[Xb[i, j]] += demb[i, 0]
    return g
