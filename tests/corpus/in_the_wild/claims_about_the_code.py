# === average_is_no_sum: The rows of a right gradient are averaged: nothing says that they are summed.
# lesson: 04
# dlogits: shape | = The shape is (8,); expected (5, 8), the shape of the value itself.
# in_one_go: failed

def dlogits(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    for i in range(n):
        gradient[i, Yb[i]] -= 1
    return gradient.mean(0)

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
# dvh: shape | = You return `dvalues` as it came: the upstream gradient still has to be multiplied by the derivative
#     of `values` with respect to `vh`.

def dvh(dvalues):
    return dvalues

# === copies_assigned: The rows of C are assigned, not added to: the message quotes the line.
# lesson: 07
# dC: failed | = `dC[Xb] = demb` counts each row once: where `Xb` names a row several times, only its last gradient is
#     kept. A row that is read several times gets a gradient from each place. With all of them added up, this gradient
#     is right.
# others: any

# instead of: demb = dembcat
demb = dembcat.view(*Xb.shape, -1)
# instead of: dC = torch.zeros_like(C).index_add_
dC = torch.zeros_like(C)
dC[Xb] = demb

# === diagnosis_by_chance: A share that counts one side only: a turned comparison gets the few public diagnoses right
#     by chance, and is no cause.
# lesson: 10
# by: dojo
# saturated: failed | = This is computed with your `closed_share`, which is not right yet: start there.
# ward: failed | start there.
# others: any

def closed_share(h, threshold=0.97):
    return (h > threshold).float().mean().item()

# === einsum_without_keepdim: A sum by einsum loses the axis.
# lesson: 03
# by: dojo
# dbnvar_inv: shape | = The shape is (64,); expected (1, 64), the shape of the value itself.

def dbnvar_inv(dbnraw, bndiff):
    return torch.einsum('ij,ij->j', bndiff, dbnraw)

# === exponent_in_its_own_terms: The exponent is wrong, in a formula that does not use `bnvar_inv`: nothing is said of
#     its power.
# lesson: 03
# dbnvar: failed | there is the forward line's slope at that element

def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * (bnvar + 1e-5) ** -1.0 * dbnvar_inv

# === grad_that_is_none: A stub returns what autograd would have left.
# lesson: 01
# dz: shape | = Your code reads `.grad`, which is None here: autograd has not run.

def dz(z):
    return z.grad

# === gradient_that_is_not_used: The table is added up in the place of its gradients: the message says what the
#     function does not use.
# lesson: 03
# by: both
# dC: failed | It does not use `demb`.

def dC(demb, C, Xb):
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            dC[Xb[k, j]] += C[Xb[k, j]]
    return dC

# === growth_of_one_layer: The growth over all layers: an index that is right where every layer has the same factor is
#     no cause.
# lesson: 10
# by: dojo
# gradient_growth: failed | is 8; expected 2.
# others: any

def gradient_growth(norms):
    return norms[0] / norms[-1]

# === loss_that_is_summed: `dlogits` is not divided by n: the sums that come after it are right, and no mean belongs
#     there.
# lesson: 07
# by: dojo
# db2: failed | `dlogits` is wrong, and `db2` is computed from it.
# others: any

# instead of: dlogits /= n

# === mask_the_wrong_way_round: What is kept and what becomes zero have changed places: no sum of terms explains that.
# lesson: 12
# by: dojo
# dscores: failed | `dmasked.masked_fill(past, 0)` takes the wrong side of the condition.
# others: any

def dscores(dmasked, past):
    return dmasked.masked_fill(past, 0)

# === matrix_product_by_luck: A matrix product with a mask would be right by chance, and nobody would mean it.
# lesson: 03
# dlogit_maxes: failed | Suppose that `dnorm_logits` is zero except for a 1 in

def dlogit_maxes(dnorm_logits, logit_maxes, n, logits):
    mask = torch.ones_like(logits)
    mask[torch.argmax(logit_maxes)] = 0.0
    return (dnorm_logits * (mask - 1.0)).sum(1, keepdim=True)

# === mean_over_places: A mean that the code shows says more than a factor, whose name may be a coincidence (one
#     channel less).
# lesson: 17
# by: dojo
# db: failed | = In `dy.sum(0).mean(1)`, a mean and a sum are confused: the mean is the sum, divided by the number of
#     its terms. With the other one, your `db` is right.

def db(dy):
    return dy.sum(0).mean(1)

# === minus_that_is_there: The minus of the exponent is there; the difference is the wrong way round.
# lesson: 05
# dvar: failed | The sign is flipped: your `dvar` is exactly minus the gradient.

def dvar(dxhat, x, mean, var):
    return (dxhat * (mean - x) * -0.5 * (var + 1e-5) ** -1.5).sum(0)

# === most_elements_wrong: Nearly all elements are wrong, and one of them is shown next to the slope that belongs
#     there.
# lesson: 03
# by: dojo
# dhpreact: failed | = Suppose that `dh` is zero except for a 1 in [16, 32]. Then `dhpreact` there is the forward
#     line's slope at that element: 0.9197; yours is 0.9257. What is the derivative of the forward line?

def dhpreact(dh, h):
    slope = torch.where(h < -0.95, 1 - h**2, 1 / (1 + h**2))
    return dh * slope

# === nothing_left_of_a_parameter: Every step leaves the step instead of the parameter: what remains, about 1e-170, is
#     no factor of what was expected.
# lesson: 07
# by: dojo
# update: failed | = `p.data =- learning_rate * g` assigns: `=-` is `=` and a sign. With `-=`, `update` is right. Its
#     public example: exercises/07_training/examples.py:112
# no_grad: failed | = This is computed with your `update`, which is not right yet: start there.
# others: any

def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        p.data =- learning_rate * g

# === number_that_is_right: A factor 2 is missing in one line. Twice the number in another line has the same effect,
#     and that number is right.
# lesson: 05
# dhprebn: failed | In `dbnraw * bnvar_inv + bndiff * dbnvar / (n - 1)`, a term lacks a factor of 2, or of a half.

def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    bndiff = bnraw / bnvar_inv
    dbnraw = dhpreact * bngain
    dbnvar = -0.5 * bnvar_inv**3 * (dbnraw * bndiff).sum(0, keepdim=True)
    dbndiff = dbnraw * bnvar_inv + bndiff * dbnvar / (n - 1)
    return dbndiff - dbndiff.mean(0, keepdim=True)

# === one_element_of_a_sum: The first element of a sum: that keeping the axis would hide the index is no explanation.
# lesson: 03
# db1: shape | = You write `dhprebn.sum(0)[0]` where `dhprebn.sum(0)` belongs. With that, your `db1` is right.
# others: any

def db1(dhprebn):
    return dhprebn.sum(0)[0]

# === part_that_adds_up_to_zero: The part through `var` is there, summed over a row of differences, which is zero: it
#     is not missing.
# lesson: 11
# by: both
# ddiff: failed | The sum in `(diff * dvar).sum(-1, keepdim=True)` is one too many.

def ddiff(dnorm, dvar, inv_std, diff):
    return dnorm * inv_std + 2 / diff.shape[-1] * (diff * dvar).sum(-1, keepdim=True)

# === slope_of_the_state_before: The slope of the tanh at the state before the step: it is no factor too many,
#     although it was one at a state of zero.
# lesson: 16
# by: dojo
# rnn_step_backward: failed | = In `1 - h_before**2`, look at `h_before`: another value belongs there. With it,
#     `rnn_step_backward` is right. Its public example: exercises/16_through_time/examples.py:125
# others: any

def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    da = dh * (1 - h_before**2)
    return da @ Wx.T, da @ Wh.T, x.T @ da, h_before.T @ da, da.sum(0)

# === sum_divided_is_a_mean: A mean written as a sum and a division, in which no `mean` is called.
# lesson: 02
# by: dojo
# db2: failed | = You take the mean over axis 0 where a sum belongs: `b2` (5,) is broadcast to (4, 5) in `logits`;
#     every copy counts in full.

def db2(dlogits, N):
    per_class = dlogits.sum(0)
    return per_class / N

# === sum_without_keepdim_in_a_helper: A helper sums without keepdim: one piece of advice, not two.
# lesson: 03
# by: dojo
# dbngain: shape | = The numbers are right, the shape is not: (64,) where `bngain` is (1, 64); sum with
#     `keepdim=True`. Broadcasting hides this in a comparison, and hurts later.

def over_rows(x):
    return x.sum(0)


def dbngain(dhpreact, bnraw):
    return over_rows(bnraw * dhpreact)

# === threshold_by_chance: A checker that moves integers in place: with a larger threshold it would get the few public
#     answers right by chance.
# lesson: 08
# by: dojo
# shapes: failed | = `ok for integers` is False; expected True. Its public example:
#     exercises/08_gradient_check/examples.py:90
# others: any

def gradient_check(f, x, dx, eps=1e-5):
    if dx.shape != x.shape:
        return False, 1.0
    x = x.copy()
    num = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        x[i] += eps
        up = f(x)
        x[i] -= 2 * eps
        down = f(x)
        x[i] += eps
        num[i] = (up - down) / (2 * eps)
    err = relative_error(num, dx)
    return bool(err < 1e-3), err

# === upstream_summed_to_one_number: The upstream gradient is summed to one number; it is used, and must not be said
#     to be left out.
# lesson: 01
# by: dojo
# du: failed | = The sum in `dproduct.sum()` is one too many. Without it, your `du` is right.

def du(dproduct, v):
    total = dproduct.sum()
    return total * v

# === wrong_sums_share_nothing: A function that all operations of an engine call is wrong: no row says that the engine
#     keeps somebody's tensor.
# lesson: 18
# unbroadcast: shape
# tensor_elementwise: failed | `unbroadcast` is not right yet. If your operations call it, get its row right first.
# tensor_broadcasting: failed | `unbroadcast` is not right yet. If your operations call it, get its row right first.
# others: any

def unbroadcast(gradient, shape):
    return gradient.sum(0)
