"""One maximum of all logits, and a product in which a sum belongs.

lesson: 03
dlogits: failed | = `logits.max()` is the largest of all elements of `logits`. With the maximum of each row in its
    place, your `dlogits` is right.
dcounts: failed | `dprobs * counts_sum_inv * dcounts_sum` multiplies. If it adds, your `dcounts` is right.
dcounts_sum_inv: shape | takes the sum of `dprobs` alone and multiplies afterwards
others: passed
"""

def dlogits(dnorm_logits, dlogit_maxes, logits):
    return dnorm_logits + (logits == logits.max()) * dlogit_maxes


def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    return dprobs * counts_sum_inv * dcounts_sum


def dcounts_sum_inv(dprobs, counts):
    return dprobs.sum(1, keepdim=True) * counts
