"""The two factors of a product have changed places.

lesson: 01
by: dojo
du: failed | = Your `du` is exactly the gradient of `v`, and your `dv` that of `u`: the two have changed places.
dv: failed | = Your `dv` is exactly the gradient of `u`, and your `du` that of `v`: the two have changed places.
"""

def du(dproduct, u):
    return dproduct * u


def dv(dproduct, v):
    return dproduct * v
