"""The exponential of `counts`.

lesson: 03
by: dojo
dnorm_logits: failed | = You write `torch.exp(counts)`. With `counts` itself in that place, your `dnorm_logits` is
    right: the `exp` is one too many. At which value is the derivative of the forward line taken?
others: passed
"""

def dnorm_logits(dcounts, counts):
    slope = torch.exp(counts)
    return dcounts * slope
