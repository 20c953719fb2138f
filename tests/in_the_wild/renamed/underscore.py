"""An underscore too many.

lesson: 03
dprobs: missing | = There is no function `dprobs`; did you mean `d_probs`? Rename it.
others: passed
"""

def d_probs(dlogprobs, probs):
    return dlogprobs / probs


del dprobs
