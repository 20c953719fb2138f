"""The slip is two lines above the return, in a variable.

lesson: 03
by: dojo
dprobs: failed | = You write `probs.exp()`. With `probs` itself in that place, your `dprobs` is right: the `exp` is
    one too many. At which value is the derivative of the forward line taken?
others: passed
"""

def dprobs(dlogprobs, probs):
    odds = probs.exp()
    slope = 1 / odds
    return dlogprobs * slope
