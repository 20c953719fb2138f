"""The part through `var` is there, summed over a row of differences, which is zero: it is not missing.

lesson: 11
by: both
ddiff: failed | The sum in `(diff * dvar).sum(-1, keepdim=True)` is one too many.
"""


def ddiff(dnorm, dvar, inv_std, diff):
    return dnorm * inv_std + 2 / diff.shape[-1] * (diff * dvar).sum(-1, keepdim=True)
