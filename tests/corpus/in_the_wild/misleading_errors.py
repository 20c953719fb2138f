# === assertion_and_a_letter_too_many: An assertion that does not hold, a name that another of the function's is like,
#     and a mean of a network's loss.
# lesson: 01
# by: dojo
# dx: error | = AssertionError. An `assert` in your code does not hold for the values of this call. Is what it claims
#     true of them?
# dW: error | = NameError: name 'dzz' is not defined. Nothing of the name `dzz` has been set when that line is
#     reached. Do you mean `dz`?
# dgrid: failed | = Your `dgrid` is the local derivative of `total` alone. The chain rule multiplies it by the upstream
#     gradient `dtotal`.
# backward: failed | Your gradients are those of the mean of `a`. The loss is its sum.

def dx(dz, W):
    assert dz.shape == W.shape
    return dz @ W.T


def dW(x, da, a):
    dz = da * (1 - a**2)
    return x.T @ dzz + 0 * dz


def dgrid(dtotal, grid):
    return torch.ones_like(grid)


def backward(x, W, b, a, z):
    da = torch.ones_like(a) / a.numel()
    dz = da * (1 - a**2)
    return x.T @ dz, dz.sum(0), dz @ W.T

# === comma_for_a_full_stop: A comma for the full stop makes a call of Python's own `sum`, and a method without its
#     tensor.
# lesson: 03
# dbnbias: error | Use `x.sum(...)` or `torch.sum(x, ...)`.
# db2: error | Is Python's own `sum(0)` written for `x.sum(0)`, or is `range(...)` missing in a `for`?

def dbnbias(dhpreact):
    return (dhpreact),sum(0, keepdim=True)


def db2(dlogits):
    return dlogits,sum(0)

# === function_of_the_file: The name of a function of the file, where its gradient is meant.
# lesson: 02
# by: both
# dW: error | Inside the function of a gradient, add the name of another gradient to the parameters, and make its own
#     tensor first. Elsewhere, call the function, or use the variable that has its result.
# dX: shape | = `dX` returned a function; expected a tensor. Where does the last line's name get its value?

def dW(X):
    return X.T @ dh


def dX(dh, W):
    dX_ = dh @ W.T
    return dX

# === mean_of_truth_values: The mean of a comparison, which has no number yet; and answers of the wrong shape that
#     happen to be zero.
# lesson: 01
# closed_share: error | `mean` works on floating-point numbers only, and this tensor has the dtype Bool.
# nonzero_places: shape | The result has the shape
# accumulation_factor: shape | = `another token` still needs a sum over the first 2 axes: its shape is (6, 3) where ()
#     is expected.
# backward: shape | = The result is None; expected 3 values: dW, db, dx. Is the last line `return ...`?

def closed_share(h, threshold):
    return (h.abs() > threshold).mean()


def nonzero_places(labels, classes):
    return labels == classes


def accumulation_factor(tokens, token):
    return tokens == token


def backward(x, W, b, a, z):
    dz = 1 - a**2
    print(x.T @ dz, dz.sum(0), dz @ W.T)

# === of_one_line: Errors whose text is known, in lines that are not about brackets, indices or the given tensors.
# lesson: 03
# by: both
# dhpreact: error | = TypeError: type Tensor doesn't define __round__ method. Python's `round` takes one number.
#     `torch.round` rounds a tensor, but a gradient needs all of its digits.
# dh: error | = TypeError: 'Tensor' object is not callable. That line writes round brackets after a tensor, as if it
#     were a function. `x.T` takes none, an index takes square ones, and a product needs its `*` or `@`.
# db2: error | The second argument of `sum` is `keepdim`. Several axes are one argument, a tuple, in brackets of their
#     own.
# dbnbias: error | = TypeError: sum() got an unexpected keyword argument 'keep_dim'. Do you mean `keepdim`?
# dbnmeani: error | NameError: name 'keepdim' is not defined. Nothing of the name `keepdim` has been set
# dW2: error | `torch.outer` multiplies two vectors. Matrices are multiplied with `@`.
# dlogits: error | `softmax` needs an axis. Along which one should the probabilities add up to one?

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

# === own_tensor_without_a_method: A class of the learner's own is called Tensor, as torch's, and lacks a method.
# lesson: 18
# alone: yes
# tensor_sum: missing | = `Tensor` has no `sum` yet.
# others: any

class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = data

# === values_forgotten: A tensor times what `max` returns along an axis: `.values` is forgotten.
# lesson: 03
# dlogits: error | is `.values` or `.indices` missing behind one?

def dlogits(dnorm_logits, dlogit_maxes, logits):
    return dnorm_logits + dlogit_maxes * logits.max(1, keepdim=True)
