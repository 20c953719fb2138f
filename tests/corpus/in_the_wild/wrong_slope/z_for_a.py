"""One minus the square of what goes into tanh, in the small network.

lesson: 01
by: dojo
dz: failed | = In `z.pow(2)`, look at `z`: another value belongs there. With it, your `dz` is right. Which value
    does the forward pass use there?
others: passed
"""

def dz(da, z):
    return da * (1 - z.pow(2))
