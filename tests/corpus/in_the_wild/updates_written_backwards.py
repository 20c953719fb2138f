# by: both

# === second_branch_assigned: `=+` assigns the second branch, so the first is missing in what is returned.
# lesson: 03
# dcounts: failed | the part that comes through `probs` is missing.

def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    dc = dprobs * counts_sum_inv
    dc =+ dcounts_sum.expand_as(dc)
    return dc
