"""A call that changes nothing in place, a square that is missing, and a reshape for a transpose.

lesson: 01
by: dojo
dembedding: failed | = `d.index_add(0, tokens, dlooked_up)` computes a value that nothing uses: `d` stays as it
    was. If it changes in place, your `dembedding` is right.
dz: failed | = In `1 - v`, a power is missing. With `1 - v ** 2`, your `dz` is right. What is the local
    derivative of the forward line?
dleft: failed | = In `right.reshape(right.shape[1], right.shape[0])`, a transpose is missing, one too many, or
    in the wrong place. In the right form, your `dleft` is right. Write the shapes next to each other: over
    which axis should the product sum?
mean_gate: failed
"""

def dembedding(dlooked_up, embedding, tokens):
    d = torch.zeros_like(embedding)
    d.index_add(0, tokens, dlooked_up)
    return d


def slope(v):
    return 1 - v


def dz(da, a):
    return da * slope(a)


def dleft(dmatmul, right):
    return dmatmul @ right.reshape(right.shape[1], right.shape[0])


def mean_gate(h):
    return (1 - h).mean()
