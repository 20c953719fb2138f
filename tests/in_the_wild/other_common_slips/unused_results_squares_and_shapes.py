"""A call that changes nothing in place, a square that is missing, and a reshape for a transpose.

lesson: 01
by: dojo
dembedding: failed | = `d.index_add(0, tokens, dlooked_up)` returns a new tensor, and nothing uses it: `index_add`
    changes nothing in place. With a call that does, your `dembedding` is right.
dz: failed | = Suppose that `da` is zero except for a 1 in [2, 3]. Then `dz` there is the forward line's slope at that
    element: 0.05208; yours is 1.974. What is the derivative of the forward line?
dleft: failed | = The value is wrong: the error is 1.3 of the gradient's size. Worst element [2, 2]: found -2.86622485,
    expected 0.0468354422.
mean_gate: failed | = The result is 0.835243251; expected 0.566194895. Its public example:
    exercises/01_chain_rule/examples.py:61
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
