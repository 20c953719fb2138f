"""Lesson 13: views of heads."""
# lesson: 13

# === arguments_changed: A right split and a right merge, after which the argument is zero.
# rows of split_heads, merge_heads: failed
# rows of any_strides: passed

def split_heads(x, heads):
    found = x.unflatten(2, (heads, -1)).transpose(1, 2).clone()
    x.zero_()
    return found


def merge_heads(x):
    found = x.transpose(1, 2).flatten(2).clone()
    x.zero_()
    return found

# === generators_and_aliases: Returns a generator, and its argument after it has emptied it.
# rows of split_heads: shape
# rows of merge_heads, any_strides: failed

def split_heads(x, heads):
    yield x


def merge_heads(y):
    y.zero_()
    return y.transpose(1, 2).flatten(2)

# === only_contiguous: Right for the usual order in memory; reads the memory as it is stored otherwise.
# rows of split_heads, merge_heads: passed
# rows of any_strides: failed

def split_heads(x, heads):
    batch, time, channels = x.shape
    stored = x.as_strided((batch, time, channels), (time * channels, channels, 1))
    return stored.view(batch, time, heads, channels // heads).transpose(1, 2)


def merge_heads(y):
    batch, heads, time, size = y.shape
    stored = y.as_strided((batch, heads, time, size), (heads * time * size, time * size, size, 1))
    return stored.transpose(1, 2).flatten(2)
