# === other_upstreams_are_zero: The first term begins with a value in place of zeros. Where one upstream gradient is
#     probed, the other one is zero.
# lesson: 20
# by: dojo
# du: failed | = Suppose that `droute` is zero except for a 1 in [6, 2], and `dsent` is zero. Then `du` is zero
#     outside 10 of its 120 elements, because a small change elsewhere does not move `route[6, 2]`; yours is 0.462 in [0, 0].
# others: any

def du(dsent, droute, u, Wr, token):
    return u.index_add(0, token, dsent) + droute @ Wr.T
