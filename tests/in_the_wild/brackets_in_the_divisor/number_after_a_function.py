"""The same with torch's function for the root.

lesson: 05
dmean: failed | = In `-dxhat.sum(0) / torch.sqrt(var) + 1e-5`, only `torch.sqrt(var)` divides: without brackets, what
    follows it is no part of the divisor. Divided by `torch.sqrt(var + 1e-5)`, your `dmean` is right.
others: passed
"""


def dmean(dxhat, var):
    return -dxhat.sum(0) / torch.sqrt(var) + 1e-5
