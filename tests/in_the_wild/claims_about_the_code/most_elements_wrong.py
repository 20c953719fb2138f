"""Nearly all elements are wrong, and one of them is shown next to the slope that belongs there.

lesson: 03
by: dojo
dhpreact: failed | = Change two things, and your `dhpreact` is right: the sign before `h**2`,
    and the division by `1 + h**2` in `1 / (1 + h**2)`.
others: passed
"""

def dhpreact(dh, h):
    slope = torch.where(h < -0.95, 1 - h**2, 1 / (1 + h**2))
    return dh * slope
