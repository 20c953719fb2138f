"""A right split and a right merge, after which the argument is zero."""
# lesson: 13
# rows of split_heads: failed
# rows of merge_heads: failed
# rows of any_strides: passed


def split_heads(x, heads):
    found = x.unflatten(2, (heads, -1)).transpose(1, 2).clone()
    x.zero_()
    return found


def merge_heads(x):
    found = x.transpose(1, 2).flatten(2).clone()
    x.zero_()
    return found
