"""Changes an argument in place in each of its functions: each row is explained, and its line looked for."""
# group: memory
# lesson: 03
# rows: failed, missing
# message: in place
# unlocked: safe


def dlogprobs(logprobs, Yb, n):
    logprobs *= 2
    return logprobs


def dprobs(dlogprobs, probs):
    dlogprobs *= 2
    return dlogprobs


def dcounts_sum_inv(dprobs, counts):
    dprobs *= 2
    return dprobs


def dcounts_sum(dcounts_sum_inv, counts_sum):
    dcounts_sum_inv *= 2
    return dcounts_sum_inv


def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    dprobs *= 2
    return dprobs


def dnorm_logits(dcounts, counts):
    dcounts *= 2
    return dcounts


def dlogit_maxes(dnorm_logits):
    dnorm_logits *= 2
    return dnorm_logits


def dlogits(dnorm_logits, dlogit_maxes, logits):
    dnorm_logits *= 2
    return dnorm_logits
