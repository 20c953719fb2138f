"""The sum of the counts for the counts.

lesson: 03
by: both
dcounts_sum_inv: failed | = In `counts_sum * dprobs`, look at `counts_sum`: another value belongs there. With
    it, your `dcounts_sum_inv` is right. Which value does the forward pass use there?
"""


def dcounts_sum_inv(counts_sum, dprobs):
    return (counts_sum * dprobs).sum(1, keepdim=True)
