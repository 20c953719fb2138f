"""Both means of a batch norm run over all elements: the same slip twice in one line.

lesson: 02
dh: failed | = Adding the same number to a whole column of `h` changes nothing that is computed from it, so each
    column of the gradient adds up to zero. One of yours adds up to -6.2 in one problem. Is a term missing, or
    does one have the wrong size?
others: passed
"""

def dh(dh_norm, h_norm, h_var):
    return (dh_norm - dh_norm.mean() - h_norm * (dh_norm * h_norm).mean()) / (h_var + 1e-5).sqrt()
