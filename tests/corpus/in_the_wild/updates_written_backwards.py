# by: both

# === one_hot_subtracted: `=-` sets the label's probability to minus one.
# lesson: 04
# dlogits: failed | assigns: `=-` is `=` and a sign. With `-=`, your `dlogits` is right.
# others: any

def dlogits(logits, Yb):
    d = F.softmax(logits, 1)
    d[range(len(Yb)), Yb] =- 1
    d /= len(Yb)
    return d

# === second_branch_assigned: `=+` assigns the second branch. Both are in the code, so the first is not said to be
#     missing.
# lesson: 03
# dcounts: failed | assigns: `=+` is `=` and a sign. With `+=`, your `dcounts` is right.

def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    dc = dprobs * counts_sum_inv
    dc =+ dcounts_sum.expand_as(dc)
    return dc
