"""Sums first, multiplies afterwards.

lesson: 03
by: dojo
dcounts_sum_inv: failed | = `counts.sum(1, keepdim=True) * dprobs.sum(1, keepdim=True)` takes a sum of each
    factor and multiplies afterwards. A product of sums is not the sum of the products. Multiplied first, your
    `dcounts_sum_inv` is right.
"""

def dcounts_sum_inv(dprobs, counts):
    return counts.sum(1, keepdim=True) * dprobs.sum(1, keepdim=True)
