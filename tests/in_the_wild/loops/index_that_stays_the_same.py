"""A number in an index where the variable of the loop belongs.

lesson: 03
by: both
dC: failed | = The value is wrong: the error is 0.71 of the gradient's size. Worst element [2, 1]: found 1.74350198,
    expected -0.504004453. Only 4 of 11 rows are wrong: 0, 2, 7, 9. It is right on the other problem, where block is
    1.
"""


def dC(demb, Xb, C):
    g = torch.zeros_like(C)
    for i in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            g[Xb[i, j]] += demb[i, 0]
    return g
