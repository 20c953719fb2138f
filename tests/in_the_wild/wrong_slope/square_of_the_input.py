"""One minus the square of what goes into tanh.

lesson: 03
by: dojo
dhpreact: failed | = In `hpreact ** 2`, `hpreact` is not the value that belongs there; with another one your
    `dhpreact` is right. This derivative is written with what the forward line returns, not with what it reads.
others: passed
"""

def dhpreact(dh, hpreact):
    squared = hpreact ** 2
    slope = 1 - squared
    return slope * dh
