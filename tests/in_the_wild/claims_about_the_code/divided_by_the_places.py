"""A division by the number of places, which is also one less than the number of channels.

lesson: 17
by: dojo
db: failed | = In `dy.sum((0, 2)) / dy.shape[2]`, the division by `dy.shape[2]` is one too many. Without it, your `db`
    is right. What is the local derivative of the forward line?
"""


def db(dy):
    return dy.sum((0, 2)) / dy.shape[2]
