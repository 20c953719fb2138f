"""The second path is computed, and not kept.

lesson: 03
by: dojo
dcounts: failed | the part that comes through `counts_sum` is missing
"""

def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    d = dprobs * counts_sum_inv
    d + dcounts_sum
    return d
