"""A division by the number of places, which is also one less than the number of channels.

lesson: 17
by: dojo
db: failed | = Your `db` is exactly 4 times too small: y.shape[2] = 4. A constant factor is lost, or there is one too many.
"""


def db(dy):
    return dy.sum((0, 2)) / dy.shape[2]
