"""The local derivative of tanh alone, in the lecture's network.

lesson: 03
dhpreact: failed
"""


def dhpreact(h):
    return 1 - h**2
