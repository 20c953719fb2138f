"""Nearly all elements are wrong, and one of them is shown next to the slope that belongs there.

lesson: 03
by: dojo
dhpreact: failed | = Suppose that `dh` is zero except for a 1 in [16, 32]. Then `dhpreact` there is the forward line's
    slope at that element: 0.9197; yours is 0.9257. What is the derivative of the forward line?
"""

def dhpreact(dh, h):
    slope = torch.where(h < -0.95, 1 - h**2, 1 / (1 + h**2))
    return dh * slope
