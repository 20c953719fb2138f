"""The rate multiplies the parameter. No part of that is an average of two, and a table near zero is no multiple.

lesson: 07
update: failed | `C` is wrong by
others: any
"""


def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients, strict=True):
        p.data = learning_rate * p.data - g
