"""One minus the square of what goes into tanh.

lesson: 03
by: dojo
dhpreact: failed | = In `hpreact ** 2`, `hpreact` is not the value that belongs there. With another one, your
    `dhpreact` is right. What the forward line reads, or what it returns: which does your formula need there?
others: passed
"""

def dhpreact(dh, hpreact):
    squared = hpreact ** 2
    slope = 1 - squared
    return slope * dh
