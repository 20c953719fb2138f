"""The total is set to zero inside the loop.

lesson: 01
by: both
db: failed | = `s = 0` is inside the loop, so each round begins anew, and only the last is left. In front of the
    loop, your `db` is right.
"""


def db(dz, b):
    out = torch.zeros_like(b)
    for j in range(dz.shape[1]):
        for i in range(dz.shape[0]):
            s = 0
            s += dz[i, j]
        out[j] = s
    return out
