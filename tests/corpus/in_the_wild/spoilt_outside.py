# === replaced_below: Right functions that something outside of them spoils: no change inside explains it.
# lesson: 03
# dprobs: failed | Run by itself, the `dprobs` in line
# dcounts_sum: failed | Run by itself, the `dcounts_sum` in line

def dprobs(dlogprobs, probs):
    return dlogprobs / probs


def in_percent(function):
    return lambda dcounts_sum_inv, counts_sum: 100 * function(dcounts_sum_inv, counts_sum)


@in_percent
def dcounts_sum(dcounts_sum_inv, counts_sum):
    return -(counts_sum**-2) * dcounts_sum_inv


dprobs, dold = lambda dlogprobs, probs: probs / dlogprobs, dprobs
