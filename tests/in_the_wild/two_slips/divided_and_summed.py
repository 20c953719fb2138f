"""Divided instead of multiplied, and summed although nothing was copied.

lesson: 03
by: both
dcounts: shape | = The shape is (6, 1); expected (6, 11), the shape of the value itself.
"""


def dcounts(dprobs, counts_sum_inv, dcounts_sum, counts):
    return (dprobs / counts_sum_inv).sum(1, keepdim=True) + dcounts_sum
