"""Divided instead of multiplied, and summed although nothing was copied.

lesson: 03
by: both
dcounts: shape | = Change two things, and your `dcounts` is right: the division by
    `counts_sum_inv` in `dprobs / counts_sum_inv`, and the sum in `(dprobs / counts_sum_inv).sum(1, keepdim=True)`.
"""


def dcounts(dprobs, counts_sum_inv, dcounts_sum, counts):
    return (dprobs / counts_sum_inv).sum(1, keepdim=True) + dcounts_sum
