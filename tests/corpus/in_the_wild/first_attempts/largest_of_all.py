"""One maximum of all logits, and a product in which a sum belongs.

lesson: 03
dlogits: failed | = `logits.max()` goes over other axes than it should. Over the right one, your `dlogits` is
    right. Along which axis did the forward pass copy or reduce?
dcounts: failed | = In `dprobs * counts_sum_inv * dcounts_sum`, the `*` in front of `dcounts_sum` is the wrong
    operation. With another one, your `dcounts` is right. What is the local derivative of the forward line?
dcounts_sum_inv: shape | takes the sum of `dprobs` alone and multiplies afterwards
"""

def dlogits(dnorm_logits, dlogit_maxes, logits):
    return dnorm_logits + (logits == logits.max()) * dlogit_maxes


def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    return dprobs * counts_sum_inv * dcounts_sum


def dcounts_sum_inv(dprobs, counts):
    return dprobs.sum(1, keepdim=True) * counts
