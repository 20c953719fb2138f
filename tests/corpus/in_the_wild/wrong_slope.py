# === bracket_missing: The bracket around the slope is missing.
# lesson: 03
# by: dojo
# dhpreact: failed | = In `1 - h ** 2 * dh`, brackets are missing: powers come first, then products and quotients,
#     then sums and differences. With brackets around the right part, your `dhpreact` is right.

def dhpreact(dh, h):
    return 1 - h ** 2 * dh

# === factor_of_a_check: What a check returns is the right value times a number: the change of the code that undoes it
#     says more.
# lesson: 14
# by: both
# dropout_backward: failed | In `dout * keep * (1 - p)`, the `*` in front of `1 - p` is the wrong operation.
# others: any

def dropout_backward(dout, keep, p):
    return dout * keep * (1 - p)

# === other_upstreams_are_zero: The first term begins with a value in place of zeros. Where one upstream gradient is
#     probed, the other one is zero.
# lesson: 20
# by: dojo
# du: failed | = Suppose that `droute` is zero except for a 1 in [6, 2], and `dsent` is zero. Then `du` is zero
#     outside 10 of its 120 elements, because `route[6, 2]` is computed from those alone; yours is 0.462 in [0, 0].
# others: any

def du(dsent, droute, u, Wr, token):
    return u.index_add(0, token, dsent) + droute @ Wr.T
