"""A quotient's derivative lacks a square; with the quotient in place of its numerator it would be right.

lesson: 12
by: dojo
dtotal: failed | = In `dweights * exps`, `exps` is not the value that belongs there; with another one your `dtotal` is
    right. What the forward line reads, or what it returns: which does your formula need there?
"""

def dtotal(dweights, exps, total):
    return -(dweights * exps).sum(2, keepdim=True) / total
