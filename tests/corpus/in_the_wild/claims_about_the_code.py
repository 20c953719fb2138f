# === combined_in_another_way: The right tensors, but the function itself and not its derivative; the logarithm of
#     numbers below zero.
# lesson: 01
# dpositive: failed | is the forward line's slope at that element
# dexponent: failed | is nan, not a finite number: look for 0/0, inf - inf, or the log or root of a negative number.

def dpositive(dlogarithm, positive):
    return dlogarithm * torch.log(positive)


def dexponent(dexponential, exponential):
    return dexponential * torch.log(-exponential)

# === copies_as_they_came: A gradient is passed on as it came, where the forward line made copies; only its shape
#     tells.
# lesson: 13
# dvh: shape | = Your `dvh` equals `dvalues`: the upstream gradient still has to be multiplied by the derivative of
#     `values` with respect to `vh`.

def dvh(dvalues):
    return dvalues

# === grad_that_is_none: A stub returns what autograd would have left.
# lesson: 01
# dz: shape | = `dz` returned None; expected a tensor. Is the last line `return ...`, and is there a value?

def dz(z):
    return z.grad

# === gradient_that_is_not_used: The table is added up in the place of its gradients.
# lesson: 03
# by: both
# dC: failed | The value is wrong

def dC(demb, C, Xb):
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            dC[Xb[k, j]] += C[Xb[k, j]]
    return dC

# === matrix_product_by_luck: A matrix product with a mask would be right by chance, and nobody would mean it.
# lesson: 03
# dlogit_maxes: failed | Suppose that `dnorm_logits` is zero except for a 1 in

def dlogit_maxes(dnorm_logits, logit_maxes, n, logits):
    mask = torch.ones_like(logits)
    mask[torch.argmax(logit_maxes)] = 0.0
    return (dnorm_logits * (mask - 1.0)).sum(1, keepdim=True)

# === minus_that_is_there: The minus of the exponent is there; the difference is the wrong way round.
# lesson: 05
# dvar: failed | The sign is flipped: your `dvar` is exactly minus the gradient.

def dvar(dxhat, x, mean, var):
    return (dxhat * (mean - x) * -0.5 * (var + 1e-5) ** -1.5).sum(0)

# === most_elements_wrong: Nearly all elements are wrong, and one of them is shown next to the slope that belongs
#     there.
# lesson: 03
# by: dojo
# dhpreact: failed | = Suppose that `dh` is zero except for a 1 in [16, 32]. Then `dhpreact` in [16, 32] is the forward
#     line's slope at that element: 0.9197; yours is 0.9257. What is the derivative of the forward line?

def dhpreact(dh, h):
    slope = torch.where(h < -0.95, 1 - h**2, 1 / (1 + h**2))
    return dh * slope

# === nothing_left_of_a_parameter: Every step leaves the step instead of the parameter: what remains, about 1e-170, is
#     no factor of what was expected.
# lesson: 07
# by: dojo
# update: failed | in the loop puts a new value in place of the old one in each round.
# no_grad: failed | = This is computed with your `update`, which is not right yet: start there.
# others: any

def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        p.data =- learning_rate * g

# === slope_of_the_state_before: The slope of the tanh at the state before the step: it is no factor too many,
#     although it was one at a state of zero.
# lesson: 16
# by: dojo
# rnn_step_backward: failed | In `1 - h_before**2`, look at `h_before`: another value belongs there. With it,
#     `rnn_step_backward` is right.
# others: any

def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    da = dh * (1 - h_before**2)
    return da @ Wx.T, da @ Wh.T, x.T @ da, h_before.T @ da, da.sum(0)

# === sum_without_keepdim_in_a_helper: A helper sums without keepdim: one piece of advice, not two.
# lesson: 03
# by: dojo
# dbngain: shape | = The numbers are right, the shape is not: (64,) where `bngain` is (1, 64); sum with
#     `keepdim=True`. Broadcasting hides this in a comparison, and hurts later.

def over_rows(x):
    return x.sum(0)


def dbngain(dhpreact, bnraw):
    return over_rows(bnraw * dhpreact)

# === wrong_sums_share_nothing: A function that all operations of an engine call is wrong: no row says that the engine
#     keeps somebody's tensor.
# lesson: 18
# unbroadcast: shape
# tensor_elementwise: failed | `unbroadcast` is not right yet. If your operations call it, get its row right first.
# tensor_broadcasting: failed | `unbroadcast` is not right yet. If your operations call it, get its row right first.
# others: any

def unbroadcast(gradient, shape):
    return gradient.sum(0)
