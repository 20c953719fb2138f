"""One product without a transpose ends the function of all gradients: the message says which, and not only its sizes.

lesson: 06
by: both
cmp, cmp_shapes, compare_all: passed
others: error | In `dlogits @ W2`, a transpose is missing, one too many, or in the wrong place.
"""

# instead of: dh = dlogits @ W2.T
dh = dlogits @ W2
