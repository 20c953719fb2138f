"""The forward line's function itself in the place of its derivative; whole columns with one number per row.

lesson: 03
dcounts_sum: failed | = Your `dcounts_sum` is exactly `dcounts_sum_inv` times `counts_sum.log()`: `counts_sum.log()` is
    not the derivative of `counts_sum_inv` with respect to `counts_sum`. What does the forward line say?
dlogits: failed | = `d[:, logits.argmax(1)] += dlogit_maxes` picks whole columns: for each entry of `logits.argmax(1)`,
    that column in every row. Index rows and columns together, so that each row is paired with its own entry; then
    your `dlogits` is right.
dhpreact: failed | = Your `dhpreact` is exactly `dh` times `h**2`: `h**2` is not the derivative of `h` with respect to
    `hpreact`. What does the forward line say?
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
