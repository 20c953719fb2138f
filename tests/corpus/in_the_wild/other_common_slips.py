# === half_a_size: `n` where `n - 1` divides, on the inner path.
# lesson: 03
# by: dojo
# dbndiff2: failed | In `dbnvar.expand_as(bndiff2) / n`, `n` is not quite what the forward pass divides by: look at
#     Bessel's correction

def dbndiff2(dbnvar, bndiff2, n):
    return dbnvar.expand_as(bndiff2) / n

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
