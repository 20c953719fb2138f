"""One number for a whole bias.

lesson: 17
db: shape | = You return the sum of all of the gradient's elements: one number, where `b` is (4,), and each of its
    elements has a gradient of its own.
others: passed
"""

def db(dy):
    return dy.sum()
