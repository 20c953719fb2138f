"""A mean that the code shows says more than a factor, whose name may be a coincidence (one channel less).

lesson: 17
by: dojo
db: failed | = In `dy.sum(0).mean(1)`, a mean and a sum are confused: the mean is the sum, divided by the number
    of its terms. With the other one, your `db` is right.
"""


def db(dy):
    return dy.sum(0).mean(1)
