"""The merged tensor is cut by the number of heads, as if it were that of the positions: the public example sees it.

lesson: 13
by: both
merge_heads, any_strides, dq, dk, dv: shape |
"""


def merge_heads(y):
    return y.transpose(1, 2).reshape(y.shape[0], y.shape[1], -1)
