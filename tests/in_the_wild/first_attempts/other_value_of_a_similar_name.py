"""The sum of the counts for the counts.

lesson: 03
by: both
dcounts_sum_inv: failed | = In `counts_sum * dprobs`, `counts_sum` is not the value that belongs there. With another
    one, your `dcounts_sum_inv` is right. This derivative is written with what the forward line reads: which values
    are they?
"""


def dcounts_sum_inv(counts_sum, dprobs):
    return (counts_sum * dprobs).sum(1, keepdim=True)
