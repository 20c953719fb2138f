"""A quotient's derivative lacks a square; with the quotient in place of its numerator it would be right.

lesson: 12
by: dojo
dtotal: failed | = In `-(dweights * exps).sum(2, keepdim=True) / total`, a square is missing. With `-(dweights *
    exps).sum(2, keepdim=True) / total ** 2`, your `dtotal` is right. What is the local derivative of the forward
    line?
"""

def dtotal(dweights, exps, total):
    return -(dweights * exps).sum(2, keepdim=True) / total
