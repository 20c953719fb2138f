"""The square is around the difference.

lesson: 01
by: dojo
dz: failed | = Suppose that `da` is zero except for a 1 in [2, 3]. Then `dz` there is the forward line's slope at that
    element: 0.05208; yours is 3.895. What is the derivative of the forward line?
others: passed
"""

def dz(da, a):
    return (1 - a) ** 2 * da
