"""The number of classes as a number.

lesson: 02
dlogits: error | = With batch 2, features 5, hidden 4, classes 3: RuntimeError: The size of tensor a (3) must match
    the size of tensor b (5) at non-singleton dimension 1. Two tensors meet element by element, and along one axis
    one has 3 elements, the other 5. Is a sum over the wrong axis, without `keepdim=True`, or a transpose too many
    or too few? You are given `Y` (2,), `logits` (2, 3).
others: passed
"""

def dlogits(logits, Y, N):
    y = F.one_hot(Y, 5)
    return (F.softmax(logits, 1) - y) / N
