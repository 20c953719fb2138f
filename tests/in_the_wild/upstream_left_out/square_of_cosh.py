"""The derivative of tanh from z, without the upstream gradient.

lesson: 01
dz: failed | = Your `dz` leaves out `da`. In this network that is all ones, so leaving it out changes nothing here;
    in another network it does. Request the upstream gradient as a parameter and multiply by it.
"""


def dz(z):
    return 1 / torch.cosh(z) ** 2
