"""The sum of the normalised values is zero, so the numbers look as if the term were missing.

lesson: 05
by: both
dhprebn: failed | takes a sum of each factor and multiplies afterwards. A product of sums is not the sum of the products
"""

def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0) - n / (n - 1) * bnraw * dhpreact.sum(0) * bnraw.sum(0))
