"""Only the direct path to `diff`.

lesson: 11
by: dojo
ddiff: failed | = In your `ddiff`, the part that comes through `var` is missing. Gradients of all paths add up.
    The rest is right.
others: passed
"""

def ddiff(dnorm, inv_std):
    return dnorm * inv_std
