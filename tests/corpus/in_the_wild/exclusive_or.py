# === powers_in_many_places: Powers written with ^: negative, of a part, of a Python number, in a sum.
# lesson: 03
# by: both
# dcounts_sum, dbnvar, dhpreact, dprobs, dbnvar_inv: error | = NotImplementedError: "bitwise_xor_cpu" not implemented
#     for 'Double'. `^` is exclusive or, for integers and truth values. The power is `**`.
# dlogprobs: error | = TypeError: unsupported operand type(s) for ^: 'float' and 'int'. `^` is exclusive or, for
#     integers and truth values. The power is `**`.

def dcounts_sum(dcounts_sum_inv, counts_sum):
    return -(counts_sum ^ (-2)) * dcounts_sum_inv


def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * (bnvar + 1e-5) ^ -1.5 * dbnvar_inv


def dhpreact(dh, h):
    return (1 - h ^ 2) * dh


def dprobs(dlogprobs, probs):
    return dlogprobs * probs ^ (-1.0)


def dbnvar_inv(dbnraw, bndiff):
    n = bndiff.shape[0]
    return (bndiff * dbnraw).sum(0, keepdim=True) * (n / 1.0) ^ 0


def dlogprobs(logprobs, Yb, n):
    d = torch.zeros_like(logprobs)
    d[range(len(Yb)), Yb] = -float(n) ^ -1
    return d
