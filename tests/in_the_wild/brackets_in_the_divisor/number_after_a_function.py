"""The same with torch's function for the root.

lesson: 05
dmean: failed | = In `-dxhat.sum(0) / torch.sqrt(var) + 1e-5`, what follows the divisor is no part of it, because
    there are no brackets. With brackets around the whole divisor, your `dmean` is right.
others: passed
"""


def dmean(dxhat, var):
    return -dxhat.sum(0) / torch.sqrt(var) + 1e-5
