"""Only the direct path to `diff`.

lesson: 11
by: dojo
ddiff: failed | = You have the path through `norm`; `diff` also feeds `var`. Gradients of all paths add up.
others: passed
"""

def ddiff(dnorm, inv_std):
    return dnorm * inv_std
