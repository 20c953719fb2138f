"""torch.exp of what is an exponential already.

lesson: 01
by: dojo
dexponent: failed | = You write `torch.exp(exponential)`. With `exponential` itself in that place, your `dexponent`
    is right: the `exp` is one too many. At which value is the derivative of the forward line taken?
others: passed
"""

def dexponent(dexponential, exponential):
    return torch.exp(exponential) * dexponential
