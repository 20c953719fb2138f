"""Nearly all elements are wrong, not only a few.

lesson: 03
by: dojo
dhpreact: failed | = The value is wrong: the error is 0.26 of the gradient's size. Worst element [3, 12]: found
    -1.77365927, expected -2.50865548. 1974 of 2048 elements are wrong, the first of them [0, 0].
others: passed
"""

def dhpreact(dh, h):
    slope = torch.where(h < -0.95, 1 - h**2, 1 - h.abs())
    return dh * slope
