"""The share of closed gates as the mean of truth values.

lesson: 10
closed_share: error | `mean` works on floating-point numbers only, and this tensor has the dtype Bool. `.double()` in
    front of it makes numbers of truth values and of integers.
others: any
"""


def closed_share(h, threshold=0.97):
    return (h.abs() > threshold).mean()
