"""One minus the square of what goes into tanh, in the small network.

lesson: 01
by: dojo
dz: failed | = In `z.pow(2)`, `z` is not the value that belongs there; with another one your `dz` is right. This
    derivative is written with what the forward line returns, not with what it reads.
others: passed
"""

def dz(da, z):
    return da * (1 - z.pow(2))
