"""The derivative of a power, with a logarithm that belongs nowhere in it.

lesson: 03
by: dojo
dbnvar: failed | = You write `torch.log(bnvar + 1e-5)`. With `bnvar + 1e-5` itself in that place, your `dbnvar` is
    right: the `log` is one too many. At which value is the derivative of the forward line taken?
others: passed
"""

def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * torch.log(bnvar + 1e-5) ** -1.5 * dbnvar_inv
