"""Returns a generator, and its argument after it has emptied it."""
# lesson: 13
# rows of split_heads: shape
# rows of merge_heads: failed
# rows of any_strides: failed


def split_heads(x, heads):
    yield x


def merge_heads(y):
    y.zero_()
    return y.transpose(1, 2).flatten(2)
