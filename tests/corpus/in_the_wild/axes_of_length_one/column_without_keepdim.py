"""Gradients of (32, 1) without their second axis: the numbers are right, and lines that use them break.

lesson: 03
as: notebook
dcounts_sum_inv: passed | = The numbers are right. `dcounts_sum_inv` has shape (32,), `counts_sum_inv` has shape (32, 1).
    Lines that use it may broadcast it differently.
"""
# instead of: dcounts_sum_inv =
dcounts_sum_inv = (counts * dprobs).sum(1)
