# === comparison_one_step_late: The learning rate falls one step late.
# lesson: 07
# by: dojo
# learning_rate: failed | = `step <= max_steps / 2` is not the comparison that belongs there. With another one,
#     `learning_rate` is right. Its public example: exercises/07_training/examples.py:122
# trajectory, resumed, no_grad: failed | = This is computed with your `learning_rate`, which is not right yet: start
#     there.

def learning_rate(step, max_steps):
    if step <= max_steps / 2:
        return 0.1
    return 0.01

# === exponent_not_lowered: The exponent comes down but is not lowered.
# lesson: 01
# by: dojo
# dbase: failed | = The exponent -0.5 in `dpower * -0.5 * base ** -0.5` is not the right one. With another one, your
#     `dbase` is right.

def dbase(dpower, base):
    return dpower * -0.5 * base ** -0.5

# === half_a_size: `n` where `n - 1` divides, on the inner path.
# lesson: 03
# by: dojo
# dbndiff2: failed | In `dbnvar.expand_as(bndiff2) / n`, `n` is not quite what the forward pass divides by: look at
#     Bessel's correction

def dbndiff2(dbnvar, bndiff2, n):
    return dbnvar.expand_as(bndiff2) / n

# === one_part_for_the_sum: One column for the sum of all.
# lesson: 03
# by: both
# dlogit_maxes: failed | = `dnorm_logits[:, 0:1]` takes one part of `dnorm_logits` along an axis, and every copy
#     counts. With the sum over that axis in its place, your `dlogit_maxes` is right.

def dlogit_maxes(dnorm_logits):
    return -dnorm_logits[:, 0:1]

# === operators_and_functions_of_one_number: `&` for a product of tensors and a function of `math` for one of torch.
# lesson: 03
# dnorm_logits: error | `&` and `|` combine truth values or integers, bit by bit.
# dprobs: error | `math.log`, `math.sqrt` and `float()` take a single number, and this tensor has several elements.

import math


def dnorm_logits(dcounts, counts):
    return (counts > 0) & dcounts


def dprobs(dlogprobs, probs):
    return dlogprobs * math.exp(-math.log(probs))

# === product_for_a_power: Twice the value for its square.
# lesson: 01
# by: both
# dz: failed | = In `a * 2`, a power is missing. With `a ** 2`, your `dz` is right. What is the local derivative of
#     the forward line?
# dfork: error | That line writes round brackets after a number, as if it were a function. A product needs its `*`

def dz(da, a):
    return da * (1 - a * 2)


def dfork(dtwice, dshifted):
    return 2(dtwice) + dshifted

# === product_of_sums: Sums first, multiplies afterwards.
# lesson: 03
# by: dojo
# dcounts_sum_inv: failed | = `counts.sum(1, keepdim=True) * dprobs.sum(1, keepdim=True)` takes a sum of each factor
#     and multiplies afterwards. A product of sums is not the sum of the products. Multiplied first, your
#     `dcounts_sum_inv` is right.

def dcounts_sum_inv(dprobs, counts):
    return counts.sum(1, keepdim=True) * dprobs.sum(1, keepdim=True)

# === rows_without_columns: An index that picks rows only.
# lesson: 04
# by: both
# dlogits: error | `p[Yb]` picks whole rows or columns, one for each entry of the index. Indexed by rows and columns
#     together, so that each row is paired with its own entry, your `dlogits` is right.
# in_one_go: error

def dlogits(logits, Yb, n):
    p = torch.softmax(logits, 1)
    p[Yb] -= 1
    return p / n

# === sum_that_nothing_uses: The second path is computed, and not kept.
# lesson: 03
# by: dojo
# dcounts: failed | `d + dcounts_sum` computes a value that nothing uses: `d` stays as it was.

def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    d = dprobs * counts_sum_inv
    d + dcounts_sum
    return d

# === value_that_nothing_uses: A subtraction on a line of its own, without `=`.
# lesson: 04
# by: both
# dlogits: failed | = `p[range(n), Yb] - 1` computes a value that nothing uses: `p` stays as it was. If it changes in
#     place, your `dlogits` is right.
# in_one_go: failed

def dlogits(logits, Yb, n):
    p = torch.softmax(logits, 1)
    p[range(n), Yb] - 1
    return p / n

# === variance_with_bessels_correction: `var` divides by N - 1 by default.
# lesson: 05
# by: dojo
# dh: failed | = `h.var(0)` is not what the forward pass divides by: look at Bessel's correction, and at the small
#     number. With that changed, your `dh` is right.

def dh(dh_bn, gamma, h_norm, h, N):
    return gamma / (h.var(0) + 1e-5).sqrt() * (dh_bn - dh_bn.mean(0) - h_norm * (dh_bn * h_norm).mean(0))
