"""The forward line's function itself in the place of its derivative; whole columns with one number per row.

lesson: 03
dcounts_sum: failed | is the forward line's slope at that element
dlogits: failed | = `d[:, logits.argmax(1)] += dlogit_maxes` picks whole rows or columns, one for each entry of
    the index. Indexed by rows and columns together, so that each row is paired with its own entry, your
    `dlogits` is right.
dhpreact: failed | is the forward line's slope at that element
others: passed
"""

def dcounts_sum(dcounts_sum_inv, counts_sum):
    return dcounts_sum_inv * counts_sum.log()


def dlogits(dnorm_logits, dlogit_maxes, logits):
    d = dnorm_logits.clone()
    d[:, logits.argmax(1)] += dlogit_maxes
    return d


def dhpreact(dh, h):
    return dh * h**2
