"""Methods that are not called, axes that do not exist, and one element of a sum.

lesson: 01
by: both
dp: shape | = `dp` returned a function; expected a tensor. Are the brackets missing that call it, as in `x.sum()`?
dexponent: error | uses a function without calling it: `x.exp` is the function, `x.exp()` its result.
db, dgrid: error | uses a function without calling it
dW: error | `torch.dot` multiplies two vectors. Matrices are multiplied with `@`.
dledger: error | The tensor has 3 axes and cannot be expanded to 2.
dx: error | `transpose` needs the two axes that it swaps.
dtile: error | An axis is a number
"""


def dp(dadded):
    return dadded.item


def dexponent(dexponential, exponential):
    return dexponential * exponential.exp


def db(dz):
    return dz.sum[0]


def dgrid(dtotal, grid):
    return dtotal.expand(grid.size)


def dW(dz, x):
    return torch.dot(x, dz)


def dledger(drow_sums, ledger):
    return drow_sums.unsqueeze(0).expand_as(ledger)


def dx(dz, W):
    return dz.matmul(W.transpose())


def dtile(dtiled):
    return dtiled.sum(axis="rows")
