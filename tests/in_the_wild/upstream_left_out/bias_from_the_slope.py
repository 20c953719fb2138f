"""db as the sum of the derivative of tanh.

lesson: 01
db: failed | = Your `db` leaves out `da`. In this network that is all ones, so leaving it out changes nothing here;
    in another network it does. Request the upstream gradient as a parameter and multiply by it.
"""


def db(a):
    local = 1 - a.pow(2)
    return local.sum(dim=0)
