"""Errors whose text is known, in lines that are not about brackets, indices or the given tensors.

lesson: 03
by: both
dhpreact: error | = TypeError: type Tensor doesn't define __round__ method. Python's `round` takes one number.
    `torch.round` rounds a tensor, but a gradient needs all of its digits.
dh: error | = TypeError: 'Tensor' object is not callable. That line writes round brackets after a tensor, as if it were a
    function. `x.T` takes none, an index takes square ones, and a product needs its `*` or `@`.
db2: error | The second argument of `sum` is `keepdim`. Several axes are one argument, a tuple, in brackets of their own.
dbnbias: error | = TypeError: sum() got an unexpected keyword argument 'keep_dim'. Do you mean `keepdim`?
dbnmeani: error | = NameError: name 'keepdim' is not defined. Nothing has the name `keepdim`. If it is an argument, it
    needs a value: `keepdim=True`.
dW2: error | `torch.outer` multiplies two vectors. Matrices are multiplied with `@`.
dlogits: error | `softmax` needs an axis. Along which one should the probabilities add up to one?
"""


def dhpreact(dh, h):
    return round(dh * (1 - h**2), 4)


def dh(dlogits, W2):
    return dlogits @ W2.T()


def db2(dlogits):
    return dlogits.sum(0, 1)


def dbnbias(dhpreact):
    return dhpreact.sum(0, keep_dim=True)


def dbnmeani(dbndiff):
    return -dbndiff.sum(0, keepdim)


def dW2(h, dlogits):
    return torch.outer(h, dlogits)


def dlogits(dnorm_logits, logits):
    return dnorm_logits - logits.softmax()
