"""One minus the square of what goes into tanh, in the small network.

lesson: 01
by: dojo
dz: failed | = In `z.pow(2)`, `z` is not the value that belongs there. With another one, your `dz` is right. What the
    forward line reads, or what it returns: which does your formula need there?
others: passed
"""

def dz(da, z):
    return da * (1 - z.pow(2))
