"""The second path is computed, and not kept.

lesson: 03
by: dojo
dcounts: failed | `d + dcounts_sum` computes a value that nothing uses: `d` stays as it was.
"""

def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    d = dprobs * counts_sum_inv
    d + dcounts_sum
    return d
