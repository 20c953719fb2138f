"""The upstream gradient is summed to one number; it is used, and must not be said to be left out.

lesson: 01
by: dojo
du: failed | = The sum in `dproduct.sum()` is one too many. Without it, your `du` is right.
"""

def du(dproduct, v):
    total = dproduct.sum()
    return total * v
