"""The exponential of the exponential.

lesson: 03
by: dojo
dnorm_logits: failed | = You write `norm_logits.exp().exp()`. With `norm_logits.exp()` itself in that place, your
    `dnorm_logits` is right: the `exp` is one too many. At which value is the derivative of the forward line taken?
others: passed
"""

def dnorm_logits(dcounts, norm_logits):
    return norm_logits.exp().exp() * dcounts
