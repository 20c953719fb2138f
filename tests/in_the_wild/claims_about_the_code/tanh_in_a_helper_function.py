"""The slip is in a function that the step calls.

lesson: 01
by: dojo
dz: failed | = You write `torch.tanh(x)`. With `x` itself in that place, your `dz` is right: the `tanh` is one too
    many. At which value is the derivative of the forward line taken?
others: passed
"""

def slope_of_tanh(x):
    return 1 - torch.tanh(x) ** 2


def dz(da, a):
    return slope_of_tanh(a) * da
