"""dW in a single expression; da would be a factor of it.

lesson: 01
dW: failed | = Your `dW` leaves out `da`. In this network that is all ones, so leaving it out changes nothing here;
    in another network it does. Request the upstream gradient as a parameter and multiply by it.
"""


def dW(x, z):
    return x.t().mm(1 - torch.tanh(z).square())
