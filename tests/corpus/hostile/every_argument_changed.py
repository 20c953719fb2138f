"""Changes an argument in place in every one of its functions: each row is explained, and its line looked for."""
# group: memory
# lesson: 03
# rows: failed
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


def dh(dlogits, W2):
    dlogits *= 2
    return dlogits


def dW2(dlogits, h):
    dlogits *= 2
    return dlogits


def db2(dlogits):
    dlogits *= 2
    return dlogits


def dhpreact(dh, h):
    dh *= 2
    return dh


def dbngain(dhpreact, bnraw):
    dhpreact *= 2
    return dhpreact


def dbnbias(dhpreact):
    dhpreact *= 2
    return dhpreact


def dbnraw(dhpreact, bngain):
    dhpreact *= 2
    return dhpreact


def dbnvar_inv(dbnraw, bndiff):
    dbnraw *= 2
    return dbnraw


def dbnvar(dbnvar_inv, bnvar):
    dbnvar_inv *= 2
    return dbnvar_inv


def dbndiff2(dbnvar, bndiff2, n):
    dbnvar *= 2
    return dbnvar


def dbndiff(dbnraw, bnvar_inv, dbndiff2, bndiff):
    dbnraw *= 2
    return dbnraw


def dbnmeani(dbndiff):
    dbndiff *= 2
    return dbndiff


def dhprebn(dbndiff, dbnmeani, n):
    dbndiff *= 2
    return dbndiff


def dembcat(dhprebn, W1):
    dhprebn *= 2
    return dhprebn


def dW1(dhprebn, embcat):
    dhprebn *= 2
    return dhprebn


def db1(dhprebn):
    dhprebn *= 2
    return dhprebn


def demb(dembcat, emb):
    dembcat *= 2
    return dembcat


def dC(demb, C, Xb):
    demb *= 2
    return demb
