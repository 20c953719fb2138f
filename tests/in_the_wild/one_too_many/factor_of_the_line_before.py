"""Multiplied once more by what the line before multiplies by.

lesson: 11
by: both
dmean: failed | = In `ddiff * inv_std`, the factor `inv_std` is one too many. Without it, your `dmean` is right. What
    is the local derivative of the forward line?
"""


def dmean(ddiff, inv_std):
    return -(ddiff * inv_std).sum(-1, keepdim=True)
