"""The merged tensor is cut by the number of heads, as if it were that of the positions: the public example sees it.

lesson: 13
by: both
merge_heads: shape |
any_strides: shape |
dq: shape |
dk: shape |
dv: shape |
"""


def merge_heads(y):
    return y.transpose(1, 2).reshape(y.shape[0], y.shape[1], -1)
