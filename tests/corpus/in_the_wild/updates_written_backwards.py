# by: both

# === second_branch_assigned: `=+` assigns the second branch. Both are in the code, so the first is not said to be
#     missing.
# lesson: 03
# dcounts: failed | assigns: `=+` is `=` and a sign. With `+=`, your `dcounts` is right.

def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    dc = dprobs * counts_sum_inv
    dc =+ dcounts_sum.expand_as(dc)
    return dc
