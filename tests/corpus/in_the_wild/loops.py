# === assigned_in_a_double_loop: A double loop that assigns each row where it should add to it.
# lesson: 03
# by: both
# dC: failed | = `g[Xb[i, j]] = demb[i, j]` overwrites what was there before. If it adds to the old value instead,
#     your `dC` is right.

def dC(demb, Xb, C):
    g = torch.zeros_like(C)
    for i in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            g[Xb[i, j]] = demb[i, j]
    return g

# === index_that_stays_the_same: A number in an index where the variable of the loop belongs.
# lesson: 03
# by: both
# dC: failed | rows are wrong

def dC(demb, Xb, C):
    g = torch.zeros_like(C)
    for i in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            g[Xb[i, j]] += demb[i, 0]
    return g

# === range_without_the_token_that_occurs_twice: The place that the loop leaves out holds a token that occurs twice:
#     no index keeps the last.
# lesson: 01
# by: both
# dembedding: failed | = `range(len(tokens) - 1)` leaves out the first or the last place: a range begins with 0 and
#     ends before its last number. With `range(len(tokens))`, your `dembedding` is right.

def dembedding(dlooked_up, embedding, tokens):
    d = torch.zeros_like(embedding)
    for i in range(len(tokens) - 1):
        d[tokens[i]] += dlooked_up[i]
    return d

# === return_in_a_numerical_gradient: A gradient checker returns after the first element.
# lesson: 08
# numerical_gradient: failed | = `return gradient` is inside of the loop, so the function ends in the loop's first
#     round. After the loop, with less indentation, `numerical_gradient` is right.
# leaves_x_unchanged: failed | `return gradient` is inside of the loop
# factors: failed | = This is computed with your `numerical_gradient`, which is not right yet: start there.
# others: any

import numpy as np


def numerical_gradient(f, x, eps=1e-5):
    x = np.array(x, dtype=np.float64)
    gradient = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        old = x[index]
        x[index] = old + eps
        above = f(x)
        x[index] = old - eps
        gradient[index] = (above - f(x)) / (2 * eps)
        x[index] = old
        return gradient


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.array(x, dtype=float), np.array(dx, dtype=float)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, np.inf
    error = relative_error(numerical_gradient(f, x, 1e-5), dx)
    return bool(error < 1e-3), error

# === total_begun_again: The total is set to zero inside the loop.
# lesson: 01
# by: both
# db: failed | = `s = 0` is inside the loop, so each round begins anew, and only the last is left. In front of the
#     loop, your `db` is right.

def db(dz, b):
    out = torch.zeros_like(b)
    for j in range(dz.shape[1]):
        for i in range(dz.shape[0]):
            s = 0
            s += dz[i, j]
        out[j] = s
    return out
